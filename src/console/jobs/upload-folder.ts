import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../store/files/partial-file.ts";

// Uploaded files stay in a private folder while they are imported.

const PREFIX = "animal-store-uploads-";
const FOLDER = new RegExp(`^${PREFIX}(\\d+)-`);
/** Containers may share the folder, but not their process ids: what another one has just created is left alone. */
const ABANDONED_AFTER_MS = 60_000;

/** The upload folder of this process, with a folder for each file. */
export class UploadFolder {
  #path: string | undefined;

  constructor(private readonly root = tmpdir()) {}

  newFolder(name: string): string {
    if (!this.#path) {
      removeAbandonedUploads(this.root);
      // mkdtemp creates it for its owner alone.
      this.#path = mkdtempSync(join(this.root, `${PREFIX}${process.pid}-`));
    }
    const path = join(this.#path, name);
    mkdirSync(path);
    return path;
  }

  /** Deletes all files. */
  close(): void {
    if (this.#path) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

/** Removes what services of this user have left that were killed. Cleaning up is optional: it never throws. */
export function removeAbandonedUploads(root = tmpdir()): void {
  for (const name of namesIn(root)) {
    const pid = Number(FOLDER.exec(name)?.[1]);
    // A former process may have had our id: in containers, all have the same.
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    const path = join(root, name);
    try {
      const { mtimeMs, uid } = lstatSync(path);
      const isOurs = uid === process.getuid?.();
      if (isOurs && Date.now() - mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else may be removing it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
