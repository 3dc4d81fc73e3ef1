import { closeSync, mkdtempSync, openSync, rmdirSync, unlinkSync } from "node:fs";

/** For a read-only disk without a folder for temporary files: containers have this one in memory. */
const SHARED_MEMORY = "/dev/shm";
/** The longest path of a socket on macOS, in bytes; Linux has room for 107. */
const MAX_PATH_BYTES = 103;
/** A descriptor that only names a file: a socket cannot be opened. Node has no constant for it. */
const O_PATH = 0o10000000;

/** A Unix socket that other users cannot connect to, since they cannot enter its folder. */
export class PrivateSocket {
  readonly #folder: string;
  #descriptor: number | undefined;

  /** Fails if it can be in none of the folders. */
  constructor(folders: readonly string[] = [process.getBuiltinModule("node:os").tmpdir(), SHARED_MEMORY]) {
    this.#folder = newFolderIn(folders);
  }

  /** The path to listen on. */
  get path(): string {
    return pathIn(this.#folder);
  }

  /**
   * The path to connect to, once somebody listens. On Linux, a descriptor keeps the socket reachable for this process
   * and the folder is removed, so that a killed process leaves nothing behind.
   */
  get address(): string {
    if (process.platform !== "linux") return this.path;
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.path, O_PATH);
      this.#removeFolder();
    }
    return `/proc/self/fd/${this.#descriptor}`;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#removeFolder();
  }

  /** At the limit of open files, a folder cannot be listed, but what is known to be in it can be removed. */
  #removeFolder(): void {
    for (const remove of [() => unlinkSync(this.path), () => rmdirSync(this.#folder)])
      try {
        remove();
      } catch {
        // It has never been there, or was removed before.
      }
  }
}

const pathIn = (folder: string): string => `${folder}/socket`;

function newFolderIn(folders: readonly string[]): string {
  const reasons: string[] = [];
  for (const folder of folders) {
    const prefix = `${folder}/animal-store-`;
    try {
      // mkdtemp adds six characters.
      if (Buffer.byteLength(pathIn(prefix)) + 6 > MAX_PATH_BYTES) throw new Error("its path is too long");
      return mkdtempSync(prefix);
    } catch (error) {
      reasons.push(`${folder}: ${(error as Error).message}`);
    }
  }
  throw new Error(`there is no folder for a socket (${reasons.join("; ")}): set TMPDIR to one that can be written to`);
}
