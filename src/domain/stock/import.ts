import { done, type Result, refused } from "../../base/result.ts";
import type { Authorship } from "../journal.ts";
import type { Animal, NewAnimal } from "./animal.ts";

// An import adds the animals of a file in batches, each of which notes how far it has come. So one that was interrupted
// is continued by importing the same file again, and everything that it has added can be removed.

export interface Import {
  readonly id: bigint;
  /** Digest of what was imported, and of how it was read. */
  readonly identity: string;
  /** The name of the file. */
  readonly source: string;
  /** Records in the file, and the animals that they are; the others were rejected. */
  readonly records: number;
  readonly animals: number;
  /** How far it has come: records that were read, and animals that were added. */
  readonly recordsDone: number;
  readonly added: number;
  readonly begunAtMs: number;
  readonly finishedAtMs: number | undefined;
  readonly undoBegunAtMs: number | undefined;
  readonly undoneAtMs: number | undefined;
  /** By undoing it: animals that were removed, and those that were kept, because orders refer to them. */
  readonly removed: number;
  readonly kept: number;
}

export type ImportState = "unfinished" | "finished" | "being undone" | "undone";

export function stateOfImport({ finishedAtMs, undoBegunAtMs, undoneAtMs }: Import): ImportState {
  if (undoneAtMs !== undefined) return "undone";
  if (undoBegunAtMs !== undefined) return "being undone";
  return finishedAtMs === undefined ? "unfinished" : "finished";
}

export interface ImportBeginning extends Authorship {
  readonly identity: string;
  readonly source: string;
  readonly records: number;
  readonly animals: number;
  /** Whether what was imported already is to be added once more. */
  readonly again: boolean;
  /** The greatest id in the file, when its ids are kept: those that are assigned from then on are greater. */
  readonly lastId?: bigint | undefined;
}

export type BeginningRefusal =
  | { readonly kind: "already_imported"; readonly earlier: Import }
  /** Ids can only be kept in a store without animals. */
  | { readonly kind: "not_empty" };

export type BeginningDecision =
  /** With ids that are given, only in a store without animals: others may have had them before. */
  | { readonly kind: "begin"; readonly lastId: bigint | undefined }
  | { readonly kind: "continue"; readonly earlier: Import }
  | { readonly kind: "already_imported"; readonly earlier: Import };

/** What a file means for a store that knows these imports of the same content. */
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
  /** Up to where the import has come before, and with this batch: else somebody else goes on with it. */
  readonly recordsDoneBefore: number;
  readonly recordsDone: number;
  /** All of them have ids, or none. */
  readonly animals: readonly (NewAnimal | Animal)[];
  /** Whether the import is finished with it. */
  readonly isLast: boolean;
}

/** Somebody else has gone on with the import, or undoes it. */
export interface Overtaken {
  readonly kind: "overtaken";
}

export const hasId = (animal: NewAnimal | Animal): animal is Animal => "id" in animal;

/** For how long after their last write others are expected to write again. */
export const OTHERS_STAY_MS = 2_000;

export interface AddedBatch {
  /** Whether others have written since the batch before: then batches must be short. */
  readonly othersWrite: boolean;
  /** How long others had to wait for it, without the commit. */
  readonly heldMs: number;
}

export interface UndoRequest extends Authorship {
  readonly importId: bigint;
}

export type UndoRefusal =
  | { readonly kind: "no_such_import" }
  | { readonly kind: "undone_already"; readonly undone: Import };

/** Whether an undo of the import that was found begins, or goes on with an earlier one. */
export function decideUndo(found: Import | undefined): Result<{ earlier: Import; isNew: boolean }, UndoRefusal> {
  if (!found) return refused({ kind: "no_such_import" });
  if (found.undoneAtMs !== undefined) return refused({ kind: "undone_already", undone: found });
  return done({ earlier: found, isNew: found.undoBegunAtMs === undefined });
}

export interface IdRange {
  readonly firstId: bigint;
  readonly lastId: bigint;
}

/** Ascending ids as the ranges that they are made of. */
export function rangesOf(ids: readonly bigint[]): IdRange[] {
  const ranges: { firstId: bigint; lastId: bigint }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last && last.lastId + 1n === id) last.lastId = id;
    else ranges.push({ firstId: id, lastId: id });
  }
  return ranges;
}

/** The first ids of ascending ranges, so many at most, and what is left of the range that the last of them is in. */
export function firstIds(ranges: readonly IdRange[], maxIds: number): { ids: bigint[]; rest: IdRange | undefined } {
  const ids: bigint[] = [];
  for (const { firstId, lastId } of ranges)
    for (let id = firstId; id <= lastId; id++) {
      if (ids.length === maxIds) return { ids, rest: id === firstId ? undefined : { firstId: id, lastId } };
      ids.push(id);
    }
  return { ids, rest: undefined };
}

/** So many ids are looked at in one transaction of an undo: others wait for it. */
export const UNDO_BATCH_SIZE = 1_000;
