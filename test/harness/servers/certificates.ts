import { chmodSync, chownSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../folder.ts";

/** Certificates are made by openssl, so tests with TLS are skipped by name where it is not installed. */
export const hasOpenssl = Bun.which("openssl") !== null;

/** A server's certificate, with the authority that signed it. */
export interface Certificate {
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

function openssl(...args: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync(["openssl", ...args], { stderr: "pipe" });
  if (!success) throw new Error(stderr.toString());
}

/** Creates an authority, and a certificate signed by it for a host name or address. */
export function newCertificate(host: string): Certificate {
  const folder = temporaryFolder();
  const file = (name: string): string => join(folder, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const alternative = /^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`;
  openssl("req", "-x509", ...newKey, "-keyout", file("ca.key"), "-out", file("ca.crt"), "-subj", "/CN=test authority");
  openssl(
    ...["req", "-x509", ...newKey, "-keyout", file("server.key"), "-out", file("server.crt"), "-subj", `/CN=${host}`],
    ...["-CA", file("ca.crt"), "-CAkey", file("ca.key"), "-addext", `subjectAltName=${alternative}`],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
  );
  return { authorityFile: file("ca.crt"), certificateFile: file("server.crt"), keyFile: file("server.key") };
}

/** Copies a certificate so that only that user can read its key, as PostgreSQL demands. */
export function ownedBy(user: number | undefined, certificate: Certificate, folder: string): Certificate {
  const certificateFile = join(folder, "server.crt");
  const keyFile = join(folder, "server.key");
  copyFileSync(certificate.certificateFile, certificateFile);
  copyFileSync(certificate.keyFile, keyFile);
  chmodSync(keyFile, 0o600);
  if (user !== undefined) for (const file of [certificateFile, keyFile]) chownSync(file, user, user);
  return { ...certificate, certificateFile, keyFile };
}
