import { dlopen, type Pointer, ptr, read } from "bun:ffi";
import { lazy } from "../../domain/lazy.ts";

const IS_MAC = process.platform === "darwin";
const LIBRARY = IS_MAC ? "libc.dylib" : "libc.so.6";

const O_RDONLY = 0;
const O_CLOEXEC = IS_MAC ? 0x100_0000 : 0o200_0000;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;
const EWOULDBLOCK = IS_MAC ? 35 : 11;
const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;
const AT_FDCWD = -100;
const STATX_INO = 0x100;
/** In words of 32 bits. */
const STATX_SIZE = 64;
const STATX_INO_WORD = 8;

/** Takes a third of a millisecond. */
const libc = lazy(
  () =>
    dlopen(LIBRARY, {
      open: { args: ["ptr", "i32"], returns: "i32" },
      flock: { args: ["i32", "i32"], returns: "i32" },
      mmap: { args: ["u64", "u64", "i32", "i32", "i32", "i64"], returns: "u64" },
    }).symbols,
);

/**
 * Opens an existing file for reading, if that is possible. There is no way to close it: a process that closes
 * a file loses all its locks on it, those of SQLite too.
 */
export function openForGood(path: string): number | undefined {
  const descriptor = libc().open(ptr(Buffer.from(`${path}\0`)), O_RDONLY | O_CLOEXEC);
  return descriptor < 0 ? undefined : descriptor;
}

/** Locks an open file, unless somebody else has: then it returns false. The lock belongs to the file, not to its name. */
export function tryLock(descriptor: number): boolean {
  if (libc().flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = lastError();
  if (errno === EWOULDBLOCK) return false;
  throw new Error(`the file system does not support locks (flock: error ${errno})`);
}

export const unlock = (descriptor: number): void => void libc().flock(descriptor, LOCK_UN);

/** Maps the beginning of an open file into memory, if that is possible. Returns the address. */
export function mapForReading(descriptor: number, bytes: number): Pointer | undefined {
  const address = libc().mmap(0n, BigInt(bytes), PROT_READ, MAP_SHARED, descriptor, 0n);
  return address === MAP_FAILED ? undefined : (Number(address) as Pointer);
}

/**
 * Returns what looks up the inode at a path, 0 if there is none: on Linux in 3 µs, where fs.statSync takes 15. It asks
 * for nothing else, because a file whose times were looked at takes longer to sync after its next change.
 */
export function inodeLookup(path: string): (() => number) | undefined {
  if (process.platform !== "linux") return undefined;
  const { statx } = dlopen(LIBRARY, {
    statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" },
  }).symbols;
  const name = Buffer.from(`${path}\0`);
  const result = new Uint32Array(STATX_SIZE);
  const [nameAt, resultAt] = [ptr(name), ptr(result)];
  return () => {
    // Named here so that they live as long as their addresses are used.
    if (statx(AT_FDCWD, nameAt, 0, STATX_INO, resultAt) !== 0 || name.length === 0) return 0;
    return (result[STATX_INO_WORD + 1] as number) * 2 ** 32 + (result[STATX_INO_WORD] as number);
  };
}

function lastError(): number {
  const location = IS_MAC
    ? dlopen(LIBRARY, { __error: { args: [], returns: "ptr" } }).symbols.__error()
    : dlopen(LIBRARY, { __errno_location: { args: [], returns: "ptr" } }).symbols.__errno_location();
  return location === null ? 0 : read.i32(location, 0);
}
