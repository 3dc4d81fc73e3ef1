import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dir, "disk.c");
const BUILD = join(import.meta.dir, "../../build");
const LIBRARY = join(BUILD, "disk.so");

/** The reason why the layer does not work here, or undefined if it does. */
export function whyNoDiskLayer(): string | undefined {
  if (process.platform !== "linux") return "the disk layer works on Linux only";
  if (!Bun.which("cc")) return "the disk layer needs a C compiler. On Debian: apt-get install gcc libc6-dev";
  return undefined;
}

/** Compiles the layer if necessary. Returns the path of the library. */
function libraryOfLayer(): string {
  const reason = whyNoDiskLayer();
  if (reason) throw new Error(reason);
  const made = statSync(LIBRARY, { throwIfNoEntry: false });
  if (made && made.mtimeMs > statSync(SOURCE).mtimeMs) return LIBRARY;
  mkdirSync(BUILD, { recursive: true });
  const draft = join(BUILD, `disk-${process.pid}.so`);
  const { success, stderr } = Bun.spawnSync(["cc", "-O2", "-shared", "-fPIC", "-o", draft, SOURCE]);
  if (!success) throw new Error(`cannot compile ${SOURCE}: ${stderr}`);
  // Replaced atomically, because a running process may have mapped the old one.
  renameSync(draft, LIBRARY);
  return LIBRARY;
}

export interface DiskSettings {
  /** The watched folder, which must exist. */
  readonly folder: string;
  /** The path of the journal, outside the folder. */
  readonly journal?: string;
  /** The path of the file that lists the faults, outside the folder. */
  readonly faults?: string;
}

/** The environment that puts the layer under a program: `serve({ cwd, env: diskEnvironment({ … }) })`. */
export const diskEnvironment = ({ folder, journal, faults }: DiskSettings): Record<string, string> => ({
  LD_PRELOAD: libraryOfLayer(),
  DISK_FOLDER: folder,
  ...(journal ? { DISK_JOURNAL: journal } : {}),
  ...(faults ? { DISK_FAULTS: faults } : {}),
});

/** Replaces the list of faults: `setFaults(file, "sync animal-store.db-wal EIO *")`. Without any, nothing fails. */
export function setFaults(file: string, ...faults: readonly string[]): void {
  // Renamed into place, so that no call reads half of it.
  writeFileSync(`${file}.new`, faults.map((fault) => `${fault}\n`).join(""));
  renameSync(`${file}.new`, file);
}
