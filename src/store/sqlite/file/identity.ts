import * as fs from "node:fs";
import { lazy } from "../../../base/lazy.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import { inodeLookup } from "../sql/libc.ts";
import { type Contents, followContents } from "./contents.ts";

/** Which file it is, whatever its name. */
interface FileIdentity {
  readonly path: string;
  readonly device: number | undefined;
  readonly inode: number | undefined;
}

/** Which files a database was opened from: plain data, because it passes from one thread to another. */
export interface DatabaseFiles {
  readonly database: FileIdentity;
  readonly log: FileIdentity;
  readonly logIndex: FileIdentity;
  /** The open database file, if that is known: all threads can read from it. */
  readonly descriptor: number | undefined;
}

const MAY_BE_MISSING = { throwIfNoEntry: false } as const;
const statsOf = (path: string): fs.Stats | undefined => fs.statSync(path, MAY_BE_MISSING);

const identityOf = (path: string, stats = statsOf(path)): FileIdentity => ({
  path,
  device: stats?.dev,
  inode: stats?.ino,
});

/** Remembers the files of an open database, whose descriptor says which file it is, whatever is at its path now. */
export function identifyFiles({ path, givenPath }: Paths, descriptor: number | undefined): DatabaseFiles {
  const stats = descriptor === undefined ? statsOf(path) : fs.fstatSync(descriptor);
  return {
    database: identityOf(givenPath, stats),
    log: identityOf(`${path}-wal`),
    logIndex: identityOf(`${path}-shm`),
    descriptor,
  };
}

interface Paths {
  readonly path: string;
  /** By which the operator knows it. If that is a symbolic link, it may lead to another file later. */
  readonly givenPath: string;
}

/**
 * What an operator has to know when a database's files are not in their places any more; undefined while they are.
 * A process writes to the files that it opened, so what it writes then is lost to everybody else.
 */
export function whyMoved({ database, log, logIndex }: DatabaseFiles): string | undefined {
  const stats = statsOf(database.path);
  if (!isSame(stats, database))
    return stats
      ? `${database.path} was replaced while the service was running: restart the service to use the new file, or put the old one back`
      : `${database.path} was removed or renamed while the service was running: put it back, or restart the service`;
  const beside = [log, logIndex].find((file) => !isSame(statsOf(file.path), file));
  return beside && `${beside.path} was removed or replaced while the service was running: restart the service`;
}

/** Throws StoreUnavailable, before anything is done to files that are not those that were opened. */
export function refuseIfMoved(files: DatabaseFiles): void {
  const reason = whyMoved(files);
  if (reason !== undefined) throw new StoreUnavailable(reason);
}

const isSame = (stats: fs.Stats | undefined, { device, inode }: FileIdentity): boolean =>
  stats?.ino === inode && stats?.dev === device;

const CHECK_ALL_INTERVAL_MS = 250;

/** Whether a database's files are in their places and are what they were, for one thread. */
export class FileWatch {
  readonly #contents: Contents;
  readonly #lookUp = lazy(() => inodeLookup(this.files.database.path));
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly files: DatabaseFiles) {
    this.#contents = followContents(files.descriptor);
    this.#contents.isOverwritten();
  }

  /** What an operator has to know; undefined while all is well. */
  whyReplaced(): string | undefined {
    return this.whyMoved() ?? this.whyOverwritten();
  }

  /** The part of it that is certain also after a sync that failed. */
  whyMoved(): string | undefined {
    return whyMoved(this.files);
  }

  /** The same for every commit: it looks at the database file each time, and at everything a few times a second. */
  whyReplacedAfterCommit(): string | undefined {
    const nowMs = performance.now();
    const isInPlace = this.#lookUp()?.() === this.files.database.inode;
    if (isInPlace && nowMs - this.#checkedAtMs < CHECK_ALL_INTERVAL_MS) return undefined;
    this.#checkedAtMs = nowMs;
    return this.whyReplaced();
  }

  whyOverwritten(): string | undefined {
    if (!this.#contents.isOverwritten()) return undefined;
    return `${this.files.database.path} was overwritten while the service was running: stop the service, restore the backup again, then start it`;
  }

  /** A sync has failed: the contents may be as they were before. */
  forgetContents(): void {
    this.#contents.forget();
  }
}
