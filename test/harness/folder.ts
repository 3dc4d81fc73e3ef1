import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./cleanup.ts";

/** A folder that is removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
