import { done, type Result, refused } from "../../base/result.ts";
import type { Authorship } from "../journal.ts";
import type { Animal, NewAnimal } from "./animal.ts";

// An import adds the animals of a file in batches, each of which records how far it has come. So an interrupted import
// is continued by importing the same file again, and everything that it has added can be removed.

export interface Import {
  readonly id: bigint;
  /** Digest of the file's content, and of the columns and options that it is read with. */
  readonly identity: string;
  /** The name of the file. */
  readonly source: string;
  /** Records in the file, and how many of them are animals; the others were rejected. */
  readonly records: number;
  readonly animals: number;
  /** Records that were read so far, and animals that were added. */
  readonly recordsDone: number;
  readonly added: number;
  readonly begunAtMs: number;
  readonly finishedAtMs: number | undefined;
  readonly undoBegunAtMs: number | undefined;
  readonly undoneAtMs: number | undefined;
  /** Animals that an undo removed, and those that it kept because orders refer to them. */
  readonly removed: number;
  readonly kept: number;
}

export type ImportState = "unfinished" | "finished" | "being undone" | "undone";

export function stateOfImport({ finishedAtMs, undoBegunAtMs, undoneAtMs }: Import): ImportState {
  if (undoneAtMs !== undefined) return "undone";
  if (undoBegunAtMs !== undefined) return "being undone";
  return finishedAtMs === undefined ? "unfinished" : "finished";
}

export interface ImportBeginning extends Authorship, Pick<Import, "identity" | "source" | "records" | "animals"> {
  /** Content that was imported already is added once more. */
  readonly again: boolean;
  /** The greatest id in the file, if its ids are kept: later ids are assigned above it. */
  readonly lastId?: bigint | undefined;
}

export type BeginningRefusal =
  | { readonly kind: "already_imported"; readonly earlier: Import }
  /** Ids of a file can only be kept in a store without animals. */
  | { readonly kind: "not_empty" };

export type BeginningDecision =
  /** A last id means that the file's ids are kept, which needs a store without animals. */
  | { readonly kind: "begin"; readonly lastId: bigint | undefined }
  | { readonly kind: "continue"; readonly earlier: Import }
  | { readonly kind: "already_imported"; readonly earlier: Import };

/** Decides between beginning and continuing, given the earlier imports of the same content. */
export function decideBeginning(
  earlier: readonly Import[],
  { again, lastId }: Pick<ImportBeginning, "again" | "lastId">,
): BeginningDecision {
  const unfinished = earlier.find((each) => stateOfImport(each) === "unfinished");
  if (unfinished) return { kind: "continue", earlier: unfinished };
  const finished = earlier.find((each) => stateOfImport(each) === "finished");
  return finished && !again ? { kind: "already_imported", earlier: finished } : { kind: "begin", lastId };
}

/** The next animals of an import, in the order of the file. */
export interface ImportBatch extends Authorship {
  readonly importId: bigint;
  /** Records read before this batch, and with it. If the store has another number, somebody else continues it. */
  readonly recordsDoneBefore: number;
  readonly recordsDone: number;
  /** Either all of them have ids, or none has. */
  readonly animals: readonly (NewAnimal | Animal)[];
  /** The import is finished with this batch. */
  readonly isLast: boolean;
}

/** Somebody else has gone on with the import, or undoes it. */
export interface Overtaken {
  readonly kind: "overtaken";
}

export const hasId = (animal: NewAnimal | Animal): animal is Animal => "id" in animal;

/** Others are expected to write again for this long after their last write. */
export const OTHERS_STAY_MS = 2_000;

export interface AddedBatch {
  /** Others have written since the previous batch, so batches must be short. */
  readonly othersWrite: boolean;
  /** The time for which the batch kept others waiting, without the commit. */
  readonly heldMs: number;
}

export interface UndoRequest extends Authorship {
  readonly importId: bigint;
}

export type UndoRefusal =
  | { readonly kind: "no_such_import" }
  | { readonly kind: "undone_already"; readonly undone: Import };

/** Decides whether an undo begins or continues, or why it is refused. */
export function decideUndo(found: Import | undefined): Result<{ earlier: Import; isNew: boolean }, UndoRefusal> {
  if (!found) return refused({ kind: "no_such_import" });
  if (found.undoneAtMs !== undefined) return refused({ kind: "undone_already", undone: found });
  return done({ earlier: found, isNew: found.undoBegunAtMs === undefined });
}

export interface IdRange {
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** Groups ascending ids into ranges. */
export function rangesOf(ids: readonly bigint[]): IdRange[] {
  const ranges: { firstId: bigint; lastId: bigint }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last && last.lastId + 1n === id) last.lastId = id;
    else ranges.push({ firstId: id, lastId: id });
  }
  return ranges;
}

/** The first ids of ascending ranges, at most `maxIds`, and the rest of the range that the last of them is in. */
export function firstIds(ranges: readonly IdRange[], maxIds: number): { ids: bigint[]; rest: IdRange | undefined } {
  const ids: bigint[] = [];
  for (const { firstId, lastId } of ranges)
    for (let id = firstId; id <= lastId; id++) {
      if (ids.length === maxIds) return { ids, rest: id === firstId ? undefined : { firstId: id, lastId } };
      ids.push(id);
    }
  return { ids, rest: undefined };
}

/** The ids of one transaction of an undo: few, because others wait for it. */
export const UNDO_BATCH_SIZE = 1_000;
