import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../../../base/time/clock.ts";
import { type Key, newKey } from "../../../domain/keys/key.ts";
import { PLAN_NAMES } from "../../../domain/keys/plan.ts";
import { newTally, type Tally } from "../../../domain/limits/tally.ts";
import type { ListedKey } from "../../../keys/queries/list.ts";
import { TRUE_STATES } from "../../../keys/queries/use.ts";
import type { KeyColumn } from "../../api/index.ts";
import { inOrder, KEY_SORTS, type KeyCounts } from "./order.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const COLUMNS: readonly KeyColumn[] = ["name", "plan", "state", "today", "lastUsed", "refused"];

interface Drawn {
  readonly row: ListedKey;
  readonly used: number;
  readonly refused: number;
}

/** Few values, so that many keys share one. */
const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    name: fc.constantFrom("Zoë", "zoe", "Äpfel", "apple", "B", "b", "Key 2"),
    plan: fc.constantFrom(...PLAN_NAMES),
    perDay: fc.constantFrom(100, 1_000),
    state: fc.constantFrom(...TRUE_STATES),
    lastUsedAtMs: fc.constantFrom(undefined, 0, NOW - DAY_MS, NOW),
    used: fc.constantFrom(0, 50, 100),
    refused: fc.constantFrom(0, 1, 90),
  })
  .map(({ name, plan, perDay, state, lastUsedAtMs, used, refused }) => {
    const key: Key = {
      ...newKey({ name, plan, quotas: { perMinute: 1, perDay }, createdAtMs: 1, expiresAtMs: undefined }),
      lastUsedAtMs,
    };
    return { row: { key, state, bannedUntilMs: undefined }, used, refused };
  });

function countsOf(keys: readonly Drawn[]): KeyCounts {
  const tallyOf = (used: number): Tally => {
    const tally = newTally();
    Object.assign(tally.day, { openedAtMs: NOW, used });
    return tally;
  };
  return {
    tallies: new Map(keys.map(({ row, used }) => [row.key.id, tallyOf(used)])),
    refusals: new Map(keys.flatMap(({ row, refused }) => (refused > 0 ? [[row.key.id, refused]] : []))),
    nowMs: NOW,
  };
}

/** Reads the rows of a list in a column, as numbers or texts that can be compared. */
const SHOWN: Readonly<Record<KeyColumn, (each: Drawn) => number | string>> = {
  name: ({ row }) => row.key.name.normalize("NFC").toLowerCase(),
  plan: ({ row }) => PLAN_NAMES.indexOf(row.key.plan),
  state: ({ row }) => TRUE_STATES.indexOf(row.state),
  today: ({ row, used }) => used / row.key.quotas.perDay,
  lastUsed: ({ row }) => row.key.lastUsedAtMs ?? -1,
  refused: ({ refused }) => refused,
};

const hasValue = (column: KeyColumn, { row }: Drawn): boolean => column !== "today" || row.state !== "revoked";

test("keys are sorted by any column, in either direction: the newest first of those with the same value", () => {
  expect([...KEY_SORTS].sort()).toEqual(COLUMNS.flatMap((column) => [column, `-${column}` as const]).sort());
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 30 }), fc.constantFrom(...COLUMNS), fc.boolean(), (keys, column, isUp) => {
      const counts = countsOf(keys);
      const sorted = inOrder(
        keys.map(({ row }) => row),
        isUp ? column : `-${column}`,
        counts,
      );
      const places = sorted.map((row) => keys.findIndex((each) => each.row === row));
      expect([...places].sort((a, b) => a - b)).toEqual(keys.map((_, i) => i));
      for (const [i, place] of places.entries()) {
        if (i === 0) continue;
        const before = keys[places[i - 1] as number] as Drawn;
        const each = keys[place] as Drawn;
        if (!hasValue(column, before)) {
          expect(hasValue(column, each)).toBe(false);
          continue;
        }
        if (!hasValue(column, each)) continue;
        const [a, b] = [SHOWN[column](before), SHOWN[column](each)];
        if (a === b) expect(places[i - 1]).toBeGreaterThan(place);
        else expect(a < b).toBe(isUp);
      }
    }),
  );
});

test("without an order, the newest key is first", () => {
  const keys = fc.sample(drawn, 5).map(({ row }) => row);
  expect(inOrder(keys, undefined, countsOf([]))).toEqual(keys.toReversed());
});
