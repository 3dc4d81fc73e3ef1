import { temporaryFolder } from "../folder.ts";

/** Runs work in a folder on a separate small disk, of a size such as 400k. */
export async function onSmallDisk<T>(size: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  if (!mount(folder, size)) throw new Error("no disk can be mounted");
  try {
    return await work(folder);
  } finally {
    Bun.spawnSync(["umount", "-l", folder]);
  }
}

const mount = (folder: string, size: string): boolean =>
  Bun.which("mount") !== null && Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).success;

/** True if this system lets us mount a disk. */
export const canMount = await onSmallDisk("100k", async () => true).catch(() => false);
