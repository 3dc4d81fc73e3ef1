import { done, type Result } from "../base/result.ts";
import type { Author } from "../domain/journal.ts";
import type { Import, UndoRefusal } from "../domain/stock/import.ts";
import type { ImportStore } from "../store/ports/store.ts";

export interface UndoParts {
  readonly imports: Pick<ImportStore, "beginUndo" | "undoSome">;
  readonly author: Author;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Once it is aborted, the work ends with its reason: where it can be continued. */
  readonly signal: AbortSignal;
  readonly onProgress: (looked: number, total: number) => void;
}

/** Others get their turn between two batches. */
const PAUSE_MS = 2;

/**
 * Removes what an import has added, whether it was finished or not, and whatever was corrected since; except for animals
 * that orders refer to. Goes on with an undo that was interrupted.
 */
export async function undoImport(parts: UndoParts, importId: bigint): Promise<Result<Import, UndoRefusal>> {
  const { imports, author, nowMs, sleep, signal, onProgress } = parts;
  const begun = await imports.beginUndo({ ...author, atMs: nowMs(), importId });
  if (begun.kind === "refused") return begun;
  for (;;) {
    const current = await imports.undoSome({ ...author, atMs: nowMs(), importId });
    if (current.undoneAtMs !== undefined) return done(current);
    onProgress(current.removed + current.kept, current.added);
    await sleep(PAUSE_MS);
    signal.throwIfAborted();
  }
}
