import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dir, "disk.c");
const BUILD = join(import.meta.dir, "../../build");
const LIBRARY = join(BUILD, "disk.so");

/** Why the layer cannot be used here, if it cannot. */
export function whyNoDiskLayer(): string | undefined {
  if (process.platform !== "linux") return "the disk layer works on Linux only";
  if (!Bun.which("cc")) return "the disk layer needs a C compiler. On Debian: apt-get install gcc libc6-dev";
  return undefined;
}

/** Compiles the layer unless that has been done. Returns the library. */
function libraryOfLayer(): string {
  const reason = whyNoDiskLayer();
  if (reason) throw new Error(reason);
  const made = statSync(LIBRARY, { throwIfNoEntry: false });
  if (made && made.mtimeMs > statSync(SOURCE).mtimeMs) return LIBRARY;
  mkdirSync(BUILD, { recursive: true });
  const draft = join(BUILD, `disk-${process.pid}.so`);
  const { success, stderr } = Bun.spawnSync(["cc", "-O2", "-shared", "-fPIC", "-o", draft, SOURCE]);
  if (!success) throw new Error(`cannot compile ${SOURCE}: ${stderr}`);
  // Atomic, because a running process has mapped the old one.
  renameSync(draft, LIBRARY);
  return LIBRARY;
}

export interface DiskSettings {
  /** What is watched; it has to exist. */
  readonly folder: string;
  /** Where the journal is kept, outside of the folder. */
  readonly journal?: string;
  /** The file that says what fails, outside of the folder. */
  readonly faults?: string;
}

/** The environment in which a program's disk fails and forgets: `serve({ cwd, env: diskEnvironment({ … }) })`. */
export const diskEnvironment = ({ folder, journal, faults }: DiskSettings): Record<string, string> => ({
  LD_PRELOAD: libraryOfLayer(),
  DISK_FOLDER: folder,
  ...(journal ? { DISK_JOURNAL: journal } : {}),
  ...(faults ? { DISK_FAULTS: faults } : {}),
});

/** What fails from now on, until the next call: `setFaults(file, "sync animal-store.db-wal EIO *")`. None: nothing. */
export function setFaults(file: string, ...faults: readonly string[]): void {
  // Renamed, so that no call ever reads half of it.
  writeFileSync(`${file}.new`, faults.map((fault) => `${fault}\n`).join(""));
  renameSync(`${file}.new`, file);
}
