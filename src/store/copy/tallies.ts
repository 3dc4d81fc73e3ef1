import { isSpent, stricterTally, type Tally } from "../../domain/limits/tally.ts";
import type { KeyTally } from "../ports/store.ts";
import { KEYS, keyTallyOf, TALLIES, tallyRow } from "../sql/rows.ts";
import type { RowSource, RowWriter } from "../sql/tables/transfer.ts";

// Used quotas and bans, which are in the database or in Redis, depending on how a service is run. After a copy they are
// in both: where nothing was counted nothing is lost, and what was counted is never lowered.

/** The counters that instances share, in Redis. */
export interface SharedCounters {
  /** Returns the tallies of these keys. */
  read(keyIds: readonly string[]): Promise<ReadonlyMap<string, Tally>>;
  /** Raises the tallies of these keys to at least these. */
  raise(tallies: readonly KeyTally[]): Promise<void>;
}

/** Saves tallies in both places, in the target's transaction, once its rows were verified. */
export type SaveTallies = (tx: RowWriter) => Promise<void>;

/** Reads the tallies of the source and of Redis. Fails with an OperatorError if Redis does not answer. */
export async function carryTallies(source: RowSource, counters: SharedCounters): Promise<SaveTallies> {
  const keyIds: string[] = [];
  for await (const rows of source.rows(KEYS)) keyIds.push(...rows.map(({ id }) => id as string));
  const merged = new Map(await counters.read(keyIds));
  const nowMs = Date.now();
  for await (const rows of source.rows(TALLIES))
    for (const [keyId, saved] of rows.map(keyTallyOf)) {
      const counted = merged.get(keyId);
      merged.set(keyId, counted ? stricterTally(counted, saved, nowMs) : saved);
    }
  const tallies = [...merged].filter(([, tally]) => !isSpent(tally, nowMs));
  return async (tx) => {
    await tx.write(TALLIES, tallies.map(tallyRow));
    // Redis comes last, so a finished copy has them. If the copy fails after all, repeating this does no harm.
    await counters.raise(tallies);
  };
}
