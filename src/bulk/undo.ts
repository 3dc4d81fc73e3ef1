import { done, type Result } from "../base/result.ts";
import type { Author } from "../domain/journal.ts";
import type { Import, UndoRefusal } from "../domain/stock/import.ts";
import type { ImportStore } from "../store/ports/store.ts";

/** The parts of an import and of its undo. */
export interface BulkParts {
  readonly imports: ImportStore;
  readonly author: Author;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborting it ends the work, with its reason, at a point from which it can be continued. */
  readonly signal: AbortSignal;
}

interface UndoParts extends BulkParts {
  readonly onProgress: (looked: number, total: number) => void;
}

/** Others get their turn between two batches. */
const PAUSE_MS = 2;

/**
 * Removes the animals that an import has added, finished or not, even those that were updated since, but none that
 * orders refer to. Continues an undo that was interrupted.
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
