import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";

const ROOT = join(import.meta.dir, "../../..");

/** The client as it is published. */
export interface PackedClient {
  readonly tarball: string;
  /** The unpacked package. */
  readonly folder: string;
}

/** Builds and packs the client like `npm publish`, in a separate folder. */
export async function packClient(): Promise<PackedClient> {
  const parent = temporaryFolder();
  const folder = join(parent, "client");
  cpSync(join(ROOT, "client"), folder, { recursive: true, filter: (path) => !/\/client\/(?:dist|test)$/.test(path) });
  for (const name of ["node_modules", "scripts"]) symlinkSync(join(ROOT, name), join(parent, name));
  await succeed(["npm", "pack", "--silent"], folder);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  await succeed(["tar", "-xzf", tarball, "-C", unpacked], folder);
  return { tarball, folder: join(unpacked, "package") };
}

/** Runs a command that must not fail, and returns its output. */
export async function succeed(command: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${err}`);
  return out;
}
