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
