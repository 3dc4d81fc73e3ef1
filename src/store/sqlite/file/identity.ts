import * as fs from "node:fs";
import { lazy } from "../../../base/lazy.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import { inodeLookup } from "../sql/libc.ts";
import { FileContents } from "./contents.ts";

/** The files that a database was opened from: plain data, because it passes from one thread to another. */
export type DatabaseFiles = ReturnType<typeof identifyFiles>;

const statsOf = (path: string): fs.Stats | undefined => fs.statSync(path, { throwIfNoEntry: false });

type Inode = Readonly<Record<"dev" | "ino", number | undefined>>;

/** Returns true for two names or descriptors of one file. Undefined is a file that does not exist. */
export const isSameFile = (one: Inode | undefined, other: Inode | undefined): boolean =>
  one?.ino === other?.ino && one?.dev === other?.dev;

/** Identifies a file, whatever its name is later. */
const identityOf = (path: string, stats = statsOf(path)) => ({ path, dev: stats?.dev, ino: stats?.ino });

/**
 * Identifies the files of an open database; the descriptor does so whatever is at the path by now. The operator knows
 * it by the given path: a symbolic link, which may lead to another file later.
 */
export function identifyFiles(path: string, givenPath: string, descriptor: number | undefined) {
  const stats = descriptor === undefined ? statsOf(path) : fs.fstatSync(descriptor);
  return {
    database: identityOf(givenPath, stats),
    log: identityOf(`${path}-wal`),
    logIndex: identityOf(`${path}-shm`),
    /** The open database file, if it is known, from which all threads can read. */
    descriptor,
  };
}

/**
 * Returns what to tell the operator when the paths of a database lead to other files, or to none; undefined while all is
 * well. A process writes to the files that it opened, so what it writes then is lost to everybody else.
 */
export function whyMoved({ database, log, logIndex }: DatabaseFiles): string | undefined {
  const stats = statsOf(database.path);
  if (!isSameFile(stats, database))
    return stats
      ? `${database.path} was replaced while the service was running: restart the service to use the new file, or put the old one back`
      : `${database.path} was removed or renamed while the service was running: put it back, or restart the service`;
  const beside = [log, logIndex].find((file) => !isSameFile(statsOf(file.path), file));
  return beside && `${beside.path} was removed or replaced while the service was running: restart the service`;
}

/** Throws StoreUnavailable if there is a reason. */
export function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new StoreUnavailable(reason);
}

const CHECK_ALL_INTERVAL_MS = 250;

/** Watches whether the files of a database were moved, replaced or overwritten, for one thread. */
export class FileWatch {
  readonly contents: FileContents;
  readonly #lookUp = lazy(() => inodeLookup(this.files.database.path));
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly files: DatabaseFiles) {
    this.contents = new FileContents(files.descriptor);
    this.contents.isOverwritten();
  }

  /** Returns what to tell the operator; undefined while all is well. */
  whyReplaced(): string | undefined {
    return this.whyMoved() ?? this.whyOverwritten();
  }

  /** Looks at paths alone, which is certain also after a failed sync. */
  whyMoved(): string | undefined {
    return whyMoved(this.files);
  }

  /** Cheap enough for every commit: looks up the database file each time, and everything a few times a second. */
  whyReplacedAfterCommit(): string | undefined {
    const nowMs = performance.now();
    const isInPlace = this.#lookUp()?.() === this.files.database.ino;
    if (isInPlace && nowMs - this.#checkedAtMs < CHECK_ALL_INTERVAL_MS) return undefined;
    this.#checkedAtMs = nowMs;
    return this.whyReplaced();
  }

  whyOverwritten(): string | undefined {
    if (!this.contents.isOverwritten()) return undefined;
    return `${this.files.database.path} was overwritten while the service was running: stop the service, restore the backup again, then start it`;
  }
}
