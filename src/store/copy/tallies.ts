import { isSpent, stricterTally, type Tally } from "../../domain/limits/tally.ts";
import type { KeyTally } from "../ports/store.ts";
import { KEYS, keyTallyOf, TALLIES, tallyRow } from "../sql/rows.ts";
import type { RowSource, RowWriter } from "../sql/transfer.ts";

// Used quotas and bans, which are in the database or in Redis, depending on how a service is run. After a copy they are
// in both: where nothing was counted nothing is lost, and what was counted is never lowered.

/** Where instances count together. */
export interface SharedCounters {
  /** What is counted there for each of these keys. */
  read(keyIds: readonly string[]): Promise<ReadonlyMap<string, Tally>>;
  /** Counts at least this much for each of these keys there. */
  raise(tallies: readonly KeyTally[]): Promise<void>;
}

export interface CarriedTallies {
  /** To both places: in the target's transaction, once its rows were verified. */
  save(tx: RowWriter): Promise<void>;
}

/** Reads what is counted, in the source and in Redis. Fails with an OperatorError if Redis does not answer. */
export async function carryTallies(source: RowSource, counters: SharedCounters): Promise<CarriedTallies> {
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
  return {
    async save(tx) {
      await tx.write(TALLIES, tallies.map(tallyRow));
      // Last: when the copy is finished, they are there. Should it fail after all, it does no harm to do it again.
      await counters.raise(tallies);
    },
  };
}
