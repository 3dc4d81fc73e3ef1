import type { Result } from "../../base/result.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type {
  AddedBatch,
  BeginningRefusal,
  Import,
  ImportBatch,
  ImportBeginning,
  Overtaken,
  UndoRefusal,
  UndoRequest,
} from "../../domain/stock/import.ts";

/** Files whose animals are added in batches. Each method is one short transaction, journal entry included. */
export interface ImportStore {
  /** Returns imports, the newest first: all of them, or `size` at most. */
  list(size?: number): Awaitable<readonly Import[]>;
  /** Returns an import by id, or undefined if there is none. */
  get(id: bigint): Awaitable<Import | undefined>;
  /**
   * Begins an import, or continues one of the same content that was not finished. Refuses content that was imported
   * before, unless it is to be added again, and a file whose ids are kept if the store has animals.
   */
  begin(beginning: ImportBeginning): Promise<Result<Import, BeginningRefusal>>;
  /** Adds the next animals of an import. Refuses if somebody else has gone on with it or undoes it. */
  add(batch: ImportBatch): Promise<Result<AddedBatch, Overtaken>>;
  /** Begins to undo an import, or continues an undo that was not finished. Refuses if it is unknown or undone. */
  beginUndo(request: UndoRequest): Promise<Result<Import, UndoRefusal>>;
  /** Removes some more of the import's animals, except those that orders refer to. Returns the import as it is then. */
  undoSome(request: UndoRequest): Promise<Import>;
}
