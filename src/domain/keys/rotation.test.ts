import { expect, test } from "bun:test";
import { DAY_MS } from "../../base/time/clock.ts";
import { type Key, newKey } from "./key.ts";
import { PLANS } from "./plan.ts";
import { type PresentedSecret, refusalToRotate } from "./rotation.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const issued = { name: "x", plan: "free", quotas: PLANS.free, createdAtMs: NOW, expiresAtMs: undefined } as const;

const presented = (change: Partial<Key> = {}, more: Partial<PresentedSecret> = {}): PresentedSecret => ({
  key: { ...newKey(issued), mayRotate: true, ...change },
  secret: { expiresAtMs: undefined },
  madeByHolderAtMs: [],
  ...more,
});

test("the newest secret of a key that may rotate rotates", () => {
  expect(refusalToRotate(presented(), NOW)).toBeUndefined();
});

test("what is wrong with the key comes before what it may do, and that before how often", () => {
  const made = Array.from({ length: 5 }, () => NOW);
  const replaced = { expiresAtMs: NOW + 1 };
  const all = { secret: replaced, madeByHolderAtMs: made };
  expect(refusalToRotate(undefined, NOW)).toEqual({ kind: "unknown_secret" });
  expect(refusalToRotate(presented({ revokedAtMs: NOW, mayRotate: false }, all), NOW)).toMatchObject({
    problem: { kind: "revoked" },
  });
  expect(refusalToRotate(presented({ suspendedAtMs: NOW }, all), NOW)).toMatchObject({ kind: "key_problem" });
  expect(refusalToRotate(presented({ expiresAtMs: NOW }, all), NOW)).toMatchObject({ kind: "key_problem" });
  expect(refusalToRotate(presented({}, { secret: { expiresAtMs: NOW } }), NOW)).toMatchObject({
    problem: { kind: "replaced" },
  });
  expect(refusalToRotate(presented({ mayRotate: false }, all), NOW)).toEqual({ kind: "not_allowed" });
  expect(refusalToRotate(presented({}, all), NOW)).toEqual({ kind: "secret_replaced" });
});

test("five a day, and the next one a day after the oldest of the last five", () => {
  const times = [NOW - 5, NOW - 1, NOW - DAY_MS + 7, NOW - 3, NOW - 9];
  expect(refusalToRotate(presented({}, { madeByHolderAtMs: times.slice(0, 4) }), NOW)).toBeUndefined();
  expect(refusalToRotate(presented({}, { madeByHolderAtMs: times }), NOW)).toEqual({
    kind: "too_many",
    nextAtMs: NOW + 7,
  });
});
