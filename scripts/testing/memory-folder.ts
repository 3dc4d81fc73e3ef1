import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const SHARED_MEMORY = "/dev/shm";
const PREFIX = "animal-store-tests-";
/** The files of tests take up to 4 GB at a time, and the programs that they start as much again. */
const NEEDED_BYTES = 8e9;

/**
 * Makes a folder in memory for the files of a run: the tests open thousands of databases, and a disk that is slow to
 * sync can double their time. Returns undefined where there is none, or too little memory.
 */
export function newMemoryFolder(): string | undefined {
  if (!mayExecuteIn(SHARED_MEMORY)) return undefined;
  removeAbandoned();
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) < NEEDED_BYTES) return undefined;
  const folder = join(SHARED_MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  // Programs that run as another user have their files there too, as in /tmp.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Tests write scripts and run them, which some systems forbid in shared memory. */
function mayExecuteIn(folder: string): boolean {
  if (!existsSync("/proc/mounts")) return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.map((line) => line.split(" ")).findLast(([, at]) => at === folder)?.[3];
  return options?.split(",").every((option) => option !== "noexec" && option !== "ro") ?? false;
}

/** Removes what killed runs have left behind. */
function removeAbandoned(): void {
  for (const name of readdirSync(SHARED_MEMORY))
    if (name.startsWith(PREFIX) && !existsSync(`/proc/${name.slice(PREFIX.length)}`))
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
}
