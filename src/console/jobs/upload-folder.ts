import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock } from "../../base/system/file-lock.ts";
import { isRunning } from "../../store/files/partial-file.ts";

// Uploaded files stay in a private folder while they are imported. Its owner has locked it, and the kernel releases the
// lock when the owner ends, however that happens: a folder that can be locked is nobody's any more. Containers may share
// the place where the folders are, and have ids of processes of their own, but locks hold between them.

const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const PREFIX = "animal-store-imports-";
/** Folders of release 1.1.0 have the id of their owner's process in the name, and no lock. */
const WITHOUT_LOCK = /^animal-store-uploads-(\d+)-/;
/** A new folder of 1.1.0 may belong to another container, whose processes cannot be seen from here. */
const ABANDONED_AFTER_MS = 60_000;

interface LockedFolder {
  readonly path: string;
  /** Has the lock for as long as it is open. */
  readonly descriptor: number;
}

/** The upload folder of this process, with a folder for each file. */
export class UploadFolder {
  #own: LockedFolder | undefined;

  constructor(private readonly root = tmpdir()) {}

  newFolder(name: string): string {
    if (!this.#own) {
      removeAbandonedUploads(this.root);
      this.#own = newLockedFolder(this.root);
    }
    const path = join(this.#own.path, name);
    mkdirSync(path);
    return path;
  }

  /** Deletes all files. */
  close(): void {
    if (!this.#own) return;
    rmSync(this.#own.path, { recursive: true, force: true });
    closeSync(this.#own.descriptor);
    this.#own = undefined;
  }
}

/** Removes what services of this user have left that were killed. Cleaning up is optional: it never throws. */
export function removeAbandonedUploads(root = tmpdir()): void {
  for (const name of namesIn(root)) {
    const path = join(root, name);
    try {
      if (name.startsWith(PREFIX)) removeUnlessLocked(path);
      else if (isAbandonedWithoutLock(name, path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else may be removing it, or may let nobody else enter it.
    }
  }
}

function newLockedFolder(root: string): LockedFolder {
  for (;;) {
    // mkdtemp creates it for its owner alone.
    const path = mkdtempSync(join(root, PREFIX));
    const descriptor = lockedDescriptor(path);
    if (descriptor !== undefined) return { path, descriptor };
  }
}

/** Opens a folder that this process has just made. Undefined: before it was locked, another one took it for abandoned. */
function lockedDescriptor(path: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, FOLDER_ONLY);
    if (isLockedBy(descriptor) !== false && isAt(path, descriptor)) return descriptor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (descriptor !== undefined) closeSync(descriptor);
  return undefined;
}

/** Undefined: nobody can lock anything there, so nobody removes anything either. */
function isLockedBy(descriptor: number): boolean | undefined {
  try {
    return tryLock(descriptor);
  } catch {
    return undefined;
  }
}

function removeUnlessLocked(path: string): void {
  if (!isOurs(path)) return;
  const descriptor = openSync(path, FOLDER_ONLY);
  try {
    // The lock is kept until it is gone, so that whoever has just made it makes another one.
    if (isLockedBy(descriptor)) rmSync(path, { recursive: true, force: true });
  } finally {
    closeSync(descriptor);
  }
}

const isAt = (path: string, descriptor: number): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;

const isOurs = (path: string): boolean => lstatSync(path).uid === process.getuid?.();

function isAbandonedWithoutLock(name: string, path: string): boolean {
  const pid = Number(WITHOUT_LOCK.exec(name)?.[1]);
  // A former process may have had our id: in containers, all have the same.
  if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) return false;
  return isOurs(path) && Date.now() - lstatSync(path).mtimeMs > ABANDONED_AFTER_MS;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
