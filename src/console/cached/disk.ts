import { statfs } from "node:fs/promises";

/** The disk that a folder is on. */
export type Disk = Awaited<ReturnType<typeof diskAt>>;

export async function diskAt(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
