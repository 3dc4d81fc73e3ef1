import type { Stats } from "node:fs";
import { lazy } from "../../domain/lazy.ts";
import { StoreUnavailable } from "../store.ts";
import { inodeLookup } from "./libc.ts";

/** Which file it is, whatever its name. */
interface FileIdentity {
  readonly path: string;
  readonly device: number | undefined;
  readonly inode: number | undefined;
}

/** Which files a database was opened from: plain data, because it passes from one thread to another. */
export interface Placement {
  readonly database: FileIdentity;
  readonly log: FileIdentity;
  readonly logIndex: FileIdentity;
}

/** Needed when a start is over, which is 1.7 ms quicker without it. */
const fs = lazy(() => process.getBuiltinModule("node:fs"));

const MAY_BE_MISSING = { throwIfNoEntry: false } as const;
const statsOf = (path: string): Stats | undefined => fs().statSync(path, MAY_BE_MISSING);

const identityOf = (path: string, stats = statsOf(path)): FileIdentity => ({
  path,
  device: stats?.dev,
  inode: stats?.ino,
});

/** Remembers the files of an open database, whose descriptor says which file it is, whatever is at its path now. */
export function placementOf(path: string, descriptor: number | undefined): Placement {
  const stats = descriptor === undefined ? statsOf(path) : fs().fstatSync(descriptor);
  // The others are beside the file that a symbolic link leads to.
  const realPath = statsOf(path) ? fs().realpathSync(path) : path;
  return {
    database: identityOf(path, stats),
    log: identityOf(`${realPath}-wal`),
    logIndex: identityOf(`${realPath}-shm`),
  };
}

/**
 * What an operator has to know when a database's files are not in their places any more; undefined while they are.
 * A process writes to the files that it opened, so what it writes then is lost to everybody else.
 */
export function displacementOf({ database, log, logIndex }: Placement): string | undefined {
  const stats = statsOf(database.path);
  if (!isSame(stats, database))
    return stats
      ? `${database.path} was replaced while the service was running: restart the service to use the new file, or put the old one back`
      : `${database.path} was removed or renamed while the service was running: put it back, or restart the service`;
  const beside = [log, logIndex].find((file) => !isSame(statsOf(file.path), file));
  return beside && `${beside.path} was removed or replaced while the service was running: restart the service`;
}

/** Throws StoreUnavailable, before anything is done to files that are not those that were opened. */
export function refuseIfDisplaced(placement: Placement): void {
  const displacement = displacementOf(placement);
  if (displacement !== undefined) throw new StoreUnavailable(displacement);
}

const isSame = (stats: Stats | undefined, { device, inode }: FileIdentity): boolean =>
  stats?.ino === inode && stats?.dev === device;

const CHECK_ALL_INTERVAL_MS = 250;

/** The same for every commit: it looks at the database file each time, and at everything a few times a second. */
export function watchPlacement(placement: Placement): () => string | undefined {
  const lookUp = inodeLookup(placement.database.path);
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    const isInPlace = lookUp && lookUp() === placement.database.inode;
    if (isInPlace && nowMs - checkedAtMs < CHECK_ALL_INTERVAL_MS) return undefined;
    checkedAtMs = nowMs;
    return displacementOf(placement);
  };
}
