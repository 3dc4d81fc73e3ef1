import { PLAN_NAMES } from "../../../domain/keys/plan.ts";
import type { Tally } from "../../../domain/limits/tally.ts";
import { fold } from "../../../domain/stock/fold.ts";
import type { ListedKey } from "../../../keys/queries/list.ts";
import { TRUE_STATES, useOf } from "../../../keys/queries/use.ts";
import type { KeyColumn, KeySort } from "../../api/index.ts";

// The orders of the list of keys. All keys are in memory, so any column will do.

/** The counts of keys, by id. Undefined: they are not known, and nothing can be sorted by them. */
export interface KeyCounts {
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
  /** The requests that were refused in the last 24 hours; keys without any are missing. */
  readonly refusals: ReadonlyMap<string, number> | undefined;
  readonly nowMs: number;
}

/** The value that a key is sorted by; undefined: it has none, and comes last in either direction. */
type ValueOf = (row: ListedKey, counts: KeyCounts) => string | number | undefined;

const VALUES: Readonly<Record<KeyColumn, ValueOf>> = {
  name: ({ key }) => fold(key.name),
  plan: ({ key }) => PLAN_NAMES.indexOf(key.plan),
  state: ({ state }) => TRUE_STATES.indexOf(state),
  today: ({ key, state }, { tallies, nowMs }) => {
    if (state === "revoked") return undefined;
    const { used, quota } = useOf(key, tallies?.get(key.id), nowMs).day;
    return used / quota;
  },
  /** A key that was never used is the one that was not used for the longest time. */
  lastUsed: ({ key }) => key.lastUsedAtMs ?? Number.NEGATIVE_INFINITY,
  refused: ({ key }, { refusals }) => refusals?.get(key.id) ?? 0,
};

export const KEY_SORTS = Object.keys(VALUES).flatMap((column) => [column, `-${column}`]) as readonly KeySort[];

export const isBy = (column: KeyColumn, sort: KeySort | undefined): boolean => sort === column || sort === `-${column}`;

/** Sorts keys that are given oldest first. The newest is first, of all and of those with the same value. */
export function inOrder(
  keys: readonly ListedKey[],
  sort: KeySort | undefined,
  counts: KeyCounts,
): readonly ListedKey[] {
  const newestFirst = keys.toReversed();
  if (sort === undefined) return newestFirst;
  const column = sort.replace(/^-/, "") as KeyColumn;
  const sign = sort === column ? 1 : -1;
  return newestFirst
    .map((row) => ({ row, value: VALUES[column](row, counts) }))
    .sort((a, b) => {
      if (a.value === b.value) return 0;
      if (a.value === undefined || b.value === undefined) return a.value === undefined ? 1 : -1;
      return a.value < b.value ? -sign : sign;
    })
    .map(({ row }) => row);
}
