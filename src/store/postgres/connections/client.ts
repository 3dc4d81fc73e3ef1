import { SQL } from "bun";
import { Mistake } from "../../../base/mistake.ts";
import { type DatabaseRemedy, OperatorError } from "../../../base/operator-error.ts";
import { displayName } from "../../urls/database-url.ts";
import { type PostgresAddress, parsePostgresUrl } from "../../urls/postgres-url.ts";
import { UnusableDatabase } from "../../urls/unusable-database.ts";
import { TOO_MANY_CONNECTIONS } from "./sql-state.ts";

/** Settings that a session begins with. */
export type SessionSettings = Readonly<Record<string, string | number | boolean>>;

export interface ClientOptions {
  readonly settings: SessionSettings;
  /** The limit, even if the address allows more. */
  readonly maxConnectSeconds?: number;
  readonly onClose?: (error: Error | null) => void;
}

/** Makes clients of one connection each, all for one database. */
export type ClientMaker = (options: ClientOptions) => SQL;

/** It is short, because only by it does Bun notice that a server has hung up before the session began. */
const CONNECT_TIMEOUT_SECONDS = 2;

/** A pooler refuses settings that it does not know, and would pass others on to later clients. */
const POOLER_KNOWS = ["application_name"];

/** Reads the certificates that the URL names. Fails with an OperatorError. */
export async function clientMaker(url: string): Promise<ClientMaker> {
  const address = parsePostgresUrl(new URL(url));
  if (address instanceof Mistake) throw new OperatorError(`the address of the database ${address.text}`);
  const tls = await tlsOf(address);
  const { hostname, port, username, password, database, isPooled, prepares, channelBinding } = address;
  const connectSeconds = address.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS;
  return ({ settings, maxConnectSeconds = connectSeconds, onClose }) =>
    new SQL({
      adapter: "postgres",
      // Without a URL, Bun takes DATABASE_URL or the like, and sends parameters that it does not know to the server.
      url: "postgres://localhost",
      // Each is given explicitly, so that no environment variable takes its place.
      hostname,
      port,
      username: username || "postgres",
      password,
      database,
      tls,
      channelBinding,
      max: 1,
      bigint: true,
      prepare: prepares,
      connectionTimeout: Math.min(connectSeconds, maxConnectSeconds),
      connection: isPooled
        ? Object.fromEntries(Object.entries(settings).filter(([name]) => POOLER_KNOWS.includes(name)))
        : { ...settings },
      onclose: onClose,
    });
}

type Tls = NonNullable<SQL.PostgresOrMySQLOptions["tls"]>;

async function tlsOf({ sslMode, rootCertificate, certificate, key }: PostgresAddress): Promise<Tls> {
  const verifies = sslMode === "verify-ca" || sslMode === "verify-full";
  // The file is read even if sslmode has no use for it: naming one that does not exist is a mistake.
  const root = rootCertificate === "system" ? undefined : await read("sslrootcert", rootCertificate);
  const ca = verifies ? root : undefined;
  const [cert, privateKey] = [await read("sslcert", certificate), await read("sslkey", key)];
  if (sslMode === "disable" || (!ca && !cert)) return sslMode;
  return {
    ...(ca ? { ca } : { rejectUnauthorized: verifies }),
    ...(cert ? { cert, key: privateKey } : {}),
    // The name in the certificate counts only for verify-full.
    ...(sslMode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  };
}

async function read(parameter: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await Bun.file(path).text();
  } catch (error) {
    throw new OperatorError(`cannot read ${path}, which ${parameter} names: ${(error as Error).message}`);
  }
}

/** Remedies for errors of the server, by SQLSTATE. */
const REMEDIES: Readonly<Record<string, string>> = {
  [TOO_MANY_CONNECTIONS]:
    "it has no connection left for this one, so raise max_connections, or lower DATABASE_CONNECTIONS of each instance",
  "42P07": "the database holds tables of another program, so use an empty one",
};
const ADDRESS_REMEDIES: Readonly<Record<string, DatabaseRemedy>> = {
  "28P01": { kind: "login_refused" },
  "28000": { kind: "login_refused" },
  "3D000": { kind: "database_missing" },
};

/** Why a database cannot be used, in one line without the password. */
export async function operatorError(url: string, error: unknown): Promise<OperatorError> {
  const name = `cannot use the database ${displayName({ kind: "postgres", url })}`;
  if (error instanceof OperatorError && error.remedy) return error.of(name);
  const { errno, message } = error as { errno?: string; message: string };
  const remedy = ADDRESS_REMEDIES[errno ?? ""];
  if (remedy) return new UnusableDatabase(onOneLine(message), remedy).of(name);
  return new OperatorError(`${name}: ${await reasonOf(url, error)}`);
}

const onOneLine = (message: string): string => message.replace(/\s*\n\s*/g, " ");

/** Host and port. */
function whereOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}

export const noAnswer = (url: string, withinMs: number): OperatorError =>
  new OperatorError(
    `no answer from ${whereOf(url)} within ${withinMs / 1000} s: is it PostgreSQL, and can it be reached from here?`,
  );

export async function reasonOf(url: string, error: unknown): Promise<string> {
  const { code, errno, message } = error as { code?: string; errno?: string; message: string };
  const { hostname } = new URL(url);
  const where = whereOf(url);
  switch (code) {
    case "ERR_POSTGRES_CONNECTION_REFUSED":
      return (await isKnown(hostname))
        ? `nothing listens at ${where}, or a firewall refuses: is PostgreSQL running there?`
        : `the name ${hostname} cannot be resolved: check the host in the address`;
    case "ERR_POSTGRES_CONNECTION_TIMEOUT":
      return `no answer from ${where}: is it PostgreSQL, and can it be reached from here?`;
    case "ERR_POSTGRES_CONNECTION_FAILED":
      return `${where} closed the connection before it was ready: is it PostgreSQL?`;
    case "ERR_POSTGRES_CONNECTION_CLOSED":
      return "the server closed the connection: try again when it is up";
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return "the server has no TLS, and sslmode asks for it: turn on ssl in postgresql.conf, or set sslmode=disable";
  }
  if (errno === "08P01" && message.includes("startup parameter"))
    return `${message}: this is a pooler, so add pgbouncer=true to the parameters of the address`;
  if (/CERT|VERIFY|SELF_SIGNED|BORINGSSL/.test(code ?? ""))
    return `${message}: sslrootcert must name the authority that signed the server's certificate, and for verify-full the certificate must be for ${hostname}`;
  const line = onOneLine(message);
  const remedy = REMEDIES[errno ?? ""];
  if (remedy !== undefined) return `${line}: ${remedy}`;
  // An error with a code and no SQLSTATE is the driver's; our own have no code.
  return code !== undefined && typeof errno !== "string"
    ? `${line}: check whether ${where} is PostgreSQL and can be reached`
    : line;
}

async function isKnown(hostname: string): Promise<boolean> {
  try {
    return (await Bun.dns.lookup(hostname.replace(/^\[(.*)\]$/, "$1"))).length > 0;
  } catch {
    return false;
  }
}
