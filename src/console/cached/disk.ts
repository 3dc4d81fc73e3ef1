import { statfs } from "node:fs/promises";

/** The disk that a folder is on. */
export interface Disk {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export async function diskAt(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
