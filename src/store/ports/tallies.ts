import type { IdPage } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Tally } from "../../domain/limits/tally.ts";

/** Counts of each key against its quotas, with strikes and bans, so that a restart forgets nothing. */
export interface TallyStore {
  /** Returns the tallies of all keys that have one. */
  load(): Awaitable<readonly KeyTally[]>;
  /** Returns the next tallies by the id of their key. */
  loadSome(page: IdPage): Awaitable<readonly KeyTally[]>;
  /** Returns the tally of a key, or undefined if it has none. */
  get(keyId: string): Awaitable<Tally | undefined>;
  /** Saves tallies in place of earlier ones. Those of keys that were deleted meanwhile are left out. */
  save(tallies: readonly KeyTally[]): Promise<void>;
}

export type KeyTally = readonly [keyId: string, tally: Tally];
