import * as fs from "node:fs";

/** Only its owner may read or write it: a database holds the digests of all secrets, and a key file a secret. */
export const OWNER_ONLY = 0o600;

/** Syncs a folder to disk: which files are in it, and under which names. */
export const syncFolder = (folder: string): void => syncFile(folder);

export function syncFile(path: string): void {
  const { closeSync, fsyncSync, openSync } = fs;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Copies all bytes of an open file into another one, or into itself, and syncs that. */
export function copyBytes(from: number, to: number): void {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let at = 0, bytes = -1; bytes !== 0; at += bytes) {
    bytes = fs.readSync(from, chunk, 0, CHUNK_BYTES, at);
    for (let done = 0; done < bytes; ) done += fs.writeSync(to, chunk, done, bytes - done, at + done);
  }
  fs.fsyncSync(to);
}

const WITHOUT_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Returns true if a hard link could not be made because the file system has none. */
export const isWithoutLinks = (error: unknown): boolean =>
  WITHOUT_LINKS.includes((error as NodeJS.ErrnoException).code ?? "");
