import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../../base/operator-error.ts";
import { isWithoutLinks, OWNER_ONLY, syncFolder } from "./files.ts";

// A file that appears entirely or not at all: it is written under another name beside its place, synced to disk, and
// only then given its own name.

/** An unfinished file beside its final place: hidden, and named after the process that writes it. */
const PARTIAL = /^\..+\.(\d+)-[0-9a-f]+\.partial(-journal)?$/;

export type PartialFile = ReturnType<typeof beginFile>;

interface NewFileOptions {
  /** Allows an existing file to be replaced. Asked again at the end, since one may have been made meanwhile. */
  readonly mayReplace?: () => boolean;
  /** The remedy if there is one and it may not be replaced. */
  readonly remedy?: string;
}

/** Begins a file, which is to be published or removed. Fails with an OperatorError. */
export function beginFile(file: string, { mayReplace = () => false, remedy }: NewFileOptions = {}) {
  if (existsSync(file) && !mayReplace()) throw new AlreadyExists(file, remedy);
  const folder = dirname(file);
  const path = join(folder, `.${basename(file)}.${process.pid}-${crypto.randomUUID().slice(0, 8)}.partial`);
  let descriptor: number;
  try {
    for (const abandoned of abandonedFiles(folder)) rmSync(abandoned, { force: true });
    // Fails for a file or a link that somebody has put there.
    descriptor = openSync(path, "wx", OWNER_ONLY);
  } catch (error) {
    throw new CannotWrite(file, reasonOf(error, folder));
  }
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  /** Deletes the unfinished file. Does nothing once it is published. */
  const remove = (): void => {
    close();
    for (const part of [path, `${path}-journal`]) rmSync(part, { force: true });
  };
  return {
    /** The path to write to. Only the owner can read it. */
    path,
    /** The same, open for writing: whoever else may write to the folder can put another file at the path. */
    descriptor,
    /** Syncs the file and gives it its name, or another one in that folder. Fails with AlreadyExists if that is taken. */
    publish(as = file): void {
      fsyncSync(descriptor);
      if (lstatSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(descriptor).ino)
        throw new CannotWrite(file, `another program has removed or replaced ${path} meanwhile`);
      try {
        giveName(path, as, remedy);
      } catch (error) {
        if (!(error instanceof AlreadyExists) || !mayReplace()) throw error;
        renameSync(path, as);
      }
      syncName(as);
      close();
    },
    remove,
    [Symbol.dispose]: remove,
  };
}

export class AlreadyExists extends OperatorError {
  constructor(
    readonly file: string,
    remedy = "choose another file name",
  ) {
    super(`${file} already exists: ${remedy}`);
  }
}

export class CannotWrite extends OperatorError {
  constructor(
    file: string,
    readonly why: string,
  ) {
    super(`cannot write ${file}: ${why}`);
  }
}

function reasonOf(error: unknown, folder: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // For a folder like /dev/fd, the system says that it does not exist when a file is created in it.
  if (code === "ENOENT")
    return existsSync(folder)
      ? `no file can be created in the folder ${folder}`
      : `there is no folder ${folder}: create it first`;
  return code === "EACCES" || code === "EROFS" ? `you may not write to the folder ${folder}` : message;
}

/** Gives the file its name without replacing one that was made meanwhile. */
function giveName(partial: string, file: string, remedy?: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(file)) throw new AlreadyExists(file, remedy);
    if (!isWithoutLinks(error)) throw error;
    renameSync(partial, file);
    return;
  }
  unlinkSync(partial);
}

/** Syncs the folder, so that the name survives a power cut; if that fails, the file is removed. */
function syncName(file: string): void {
  try {
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Returns the files in a folder that a kill or a power cut has left unfinished. */
export function abandonedFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => isAbandoned(join(folder, name), Number(PARTIAL.exec(name)?.[1])))
    .map((name) => join(folder, name));
}

/** Containers may share a folder but not process ids: a file that another one is writing is at least recent. */
const ABANDONED_AFTER_MS = 60_000;

function isAbandoned(path: string, pid: number): boolean {
  if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) return false;
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ABANDONED_AFTER_MS;
}

/** Looks for a process of this id, as this container sees them. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
