import { read } from "bun:ffi";
import { lazy } from "../lazy.ts";
import { openCLibrary } from "./c-library.ts";

const IS_MAC = process.platform === "darwin";

const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;
const EWOULDBLOCK = IS_MAC ? 35 : 11;

/** Both are opened at once: opening a library may change the number of the latest error. */
const libc = lazy(() => {
  const flock = { args: ["i32", "i32"], returns: "i32" } as const;
  const errno = { args: [], returns: "ptr" } as const;
  if (!IS_MAC) return openCLibrary({ flock, __errno_location: errno }).symbols;
  const { __error, ...others } = openCLibrary({ flock, __error: errno }).symbols;
  return { ...others, __errno_location: __error };
});

/**
 * Locks an open file or folder; returns false if somebody else has. The lock belongs to what is open, not to its name,
 * and the kernel releases it with the process. Throws where the file system has no locks.
 */
export function tryLock(descriptor: number): boolean {
  if (libc().flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = lastError();
  if (errno === EWOULDBLOCK) return false;
  throw new Error(`the file system does not support locks (flock: error ${errno})`);
}

export const unlock = (descriptor: number): void => void libc().flock(descriptor, LOCK_UN);

function lastError(): number {
  const location = libc().__errno_location();
  return location === null ? 0 : read.i32(location, 0);
}
