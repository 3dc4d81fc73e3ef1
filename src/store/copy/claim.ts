import { type Authorship, entryOfStore } from "../../domain/journal.ts";
import { IMPORT_RANGES, IMPORTS } from "../sql/import-rows.ts";
import { ORDERS } from "../sql/order-rows.ts";
import { ANIMALS, CATEGORIES, TABLES } from "../sql/rows.ts";
import type { Table } from "../sql/table.ts";
import type { RowSource, RowTarget, RowWriter } from "../sql/tables/transfer.ts";
import { CopyRefused } from "./refusal.ts";

// Decides whether a database may be the target of a copy, and marks it as one until the copy is finished.

/** The tables of a copy, and the name under which its target records it. */
export interface Claim {
  readonly source: string;
  readonly tables: readonly Table[];
  /** The record stays after the copy, which is made only once. */
  readonly isKept: boolean;
}

/** Claims a target for a whole store: it must be empty, or hold an unfinished copy of this same source. */
export async function claimWhole(source: RowSource, target: RowTarget): Promise<Claim> {
  const [earlier] = await target.copies();
  const claim = (id: string): Claim => ({ source: id, tables: TABLES, isKept: true });
  if (earlier?.isFinished) throw new CopyRefused({ kind: "already_copied" });
  if (earlier && (earlier.source === source.id || (await source.wasKnownAs(earlier.source))))
    return claim(earlier.source);
  await noteAlone(target, source.id, async () => {
    if (earlier || (await firstWithRows(target, TABLES))) throw new CopyRefused({ kind: "not_empty" });
  });
  return claim(source.id);
}

/**
 * Notes a copy before anything is changed: a service that starts from here on refuses to. One that has started before,
 * and would not hear of it, is found; what it may have written meanwhile, too. Then nothing is noted.
 */
async function noteAlone(target: RowTarget, source: string, refuseUnfit: () => Promise<void>): Promise<void> {
  await refuseUnfit();
  await target.beginCopy(source);
  try {
    await target.refuseUse();
    await refuseUnfit();
  } catch (error) {
    await target.forgetCopy(source);
    throw error;
  }
}

const ANIMAL_TABLES = [ANIMALS, CATEGORIES];
/** Imports of the target: to undo one would remove copied animals, which have the same ids now. */
const NOTES_ON_ANIMALS = [IMPORT_RANGES, IMPORTS];

/** The record of an unfinished copy of animals alone. Other releases refuse to serve such a target too. */
const noteOf = (source: RowSource): string => `animals ${source.id}`;

export interface AnimalsClaim {
  readonly mayReplace: boolean;
  /** The person who replaces them, and the name of the source, for the journal. */
  readonly author: Authorship;
  readonly from: string;
}

/** Claims a target for animals and categories: it has none, unless they may be replaced. Its keys stay. */
export async function claimAnimals(source: RowSource, target: RowTarget, options: AnimalsClaim): Promise<Claim> {
  const claim: Claim = { source: noteOf(source), tables: ANIMAL_TABLES, isKept: false };
  const unfinished = (await target.copies()).filter(({ isFinished }) => !isFinished);
  const isContinued = unfinished.some((copy) => copy.source === claim.source);
  if (unfinished.some((copy) => !copy.source.startsWith("animals ")))
    throw new CopyRefused({ kind: "whole_copy_unfinished" });
  if (!isContinued)
    await noteAlone(target, claim.source, () => refuseAnimals(target, options.mayReplace, unfinished.length > 0));
  await target.transact([...NOTES_ON_ANIMALS, ...ANIMAL_TABLES], async (tx) => {
    for (const copy of unfinished) if (copy.source !== claim.source) await tx.forgetCopy(copy.source);
    for (const table of NOTES_ON_ANIMALS) await tx.empty(table);
    // An earlier attempt of this copy is continued.
    if (!isContinued) await removeAnimals(tx, options);
  });
  return claim;
}

async function refuseAnimals(target: RowTarget, mayReplace: boolean, hasUnfinished: boolean): Promise<void> {
  if (await firstWithRows(target, [ORDERS])) throw new CopyRefused({ kind: "has_orders" });
  const filled = hasUnfinished ? ANIMALS : await firstWithRows(target, ANIMAL_TABLES);
  if (filled && !mayReplace) throw new CopyRefused({ kind: "has_animals", table: filled.name });
}

/** The removal is journaled at once: the copy may never be finished. */
async function removeAnimals(tx: RowWriter, { author, from }: AnimalsClaim): Promise<void> {
  const removed: Record<string, number> = {};
  for (const table of ANIMAL_TABLES) {
    removed[table.name] = await tx.count(table);
    await tx.empty(table);
  }
  const none = Object.fromEntries(ANIMAL_TABLES.map(({ name }) => [name, 0]));
  if (ANIMAL_TABLES.some(({ name }) => removed[name]))
    await tx.appendJournal(
      entryOfStore("copy --animals --replace", author, { before: removed, after: { ...none, from } }),
    );
}

/** Ends the claim, in the transaction that finishes the copy. */
export const release = (tx: RowWriter, { source, isKept }: Claim) =>
  isKept ? tx.finishCopy(source) : tx.forgetCopy(source);

async function firstWithRows(target: RowTarget, tables: readonly Table[]): Promise<Table | undefined> {
  for (const table of tables) if (await target.hasRows(table)) return table;
  return undefined;
}
