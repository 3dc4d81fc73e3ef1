import { type Authorship, entryOfStore } from "../../domain/journal.ts";
import { IMPORT_RANGES, IMPORTS } from "../sql/import-rows.ts";
import { ANIMALS, CATEGORIES, ORDERS, TABLES } from "../sql/rows.ts";
import type { Table } from "../sql/table.ts";
import type { RowSource, RowTarget, RowWriter } from "../sql/transfer.ts";
import { CopyRefused } from "./refusal.ts";

// Whether a database may be the target of a copy, and how it is marked as one until the copy is finished.

/** What is copied, and what the copy is noted as in its target. */
export interface Claim {
  readonly source: string;
  readonly tables: readonly Table[];
  /** Whether the note is kept: such a copy is made once. */
  readonly isKept: boolean;
}

/** A copy of everything: the target must be empty, or hold an unfinished copy of this same source. */
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
/** Which animals the imports of the target have added: to undo one of them would remove others, that have their ids now. */
const NOTES_ON_ANIMALS = [IMPORT_RANGES, IMPORTS];

/** What an unfinished copy of animals alone is noted as: any other release refuses to serve it, too. */
const noteOf = (source: RowSource): string => `animals ${source.id}`;

export interface AnimalsClaim {
  readonly mayReplace: boolean;
  /** Who replaces them, and where those come from that they are replaced with, for people to read. */
  readonly author: Authorship;
  readonly from: string;
}

/** A copy of animals and categories: the target has none, unless they are to be replaced. It may have keys of its own. */
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
    // What this copy has brought over is kept.
    if (!isContinued) await removeAnimals(tx, options);
  });
  return claim;
}

async function refuseAnimals(target: RowTarget, mayReplace: boolean, hasUnfinished: boolean): Promise<void> {
  if (await firstWithRows(target, [ORDERS])) throw new CopyRefused({ kind: "has_orders" });
  const filled = hasUnfinished ? ANIMALS : await firstWithRows(target, ANIMAL_TABLES);
  if (filled && !mayReplace) throw new CopyRefused({ kind: "has_animals", table: filled.name });
}

/** Journaled at once: the copy that replaces them may never be finished. */
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

/** In the transaction that finishes it. */
export const release = (tx: RowWriter, { source, isKept }: Claim) =>
  isKept ? tx.finishCopy(source) : tx.forgetCopy(source);

async function firstWithRows(target: RowTarget, tables: readonly Table[]): Promise<Table | undefined> {
  for (const table of tables) if (await target.hasRows(table)) return table;
  return undefined;
}
