import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bannedTally, openKeyStore } from "../../test/harness/key-store.ts";
import { DAY_MS, MINUTE_MS } from "../domain/clock.ts";
import { type Key, newKey } from "../domain/key.ts";
import { PLANS } from "../domain/plan.ts";
import { done, refused } from "../domain/result.ts";
import { judge, newTally, ratePolicyOfKey } from "../domain/tally.ts";
import { issueKey } from "./issue.ts";
import { showUse, useOf } from "./show-use.ts";

const T0 = Date.parse("2027-03-01T12:00:00Z");

const freeKey = (pardonedAtMs?: number): Key => ({
  ...newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined }),
  pardonedAtMs,
});

const NOTHING_USED = {
  minute: { used: 0, remaining: 60, resetsAtMs: undefined },
  day: { used: 0, remaining: 1000, resetsAtMs: undefined },
  bannedUntilMs: undefined,
};

describe("what a key has used", () => {
  test("is nothing when nothing was counted", () => {
    expect(useOf(freeKey(), undefined, T0)).toEqual(NOTHING_USED);
  });

  test("counts in each window until that ends", () => {
    const tally = newTally();
    for (let request = 0; request < 3; request++) judge(tally, ratePolicyOfKey(PLANS.free, undefined), T0);
    const day = { used: 3, remaining: 997, resetsAtMs: T0 + DAY_MS };
    expect(useOf(freeKey(), tally, T0 + MINUTE_MS - 1)).toEqual({
      minute: { used: 3, remaining: 57, resetsAtMs: T0 + MINUTE_MS },
      day,
      bannedUntilMs: undefined,
    });
    expect(useOf(freeKey(), tally, T0 + MINUTE_MS)).toEqual({ ...NOTHING_USED, day });
    expect(useOf(freeKey(), tally, T0 + DAY_MS)).toEqual(NOTHING_USED);
  });

  test("never leaves less than nothing, should the quota have become smaller", () => {
    const tally = newTally();
    Object.assign(tally.minute, { openedAtMs: T0, used: 100 });
    expect(useOf(freeKey(), tally, T0).minute).toMatchObject({ used: 100, remaining: 0 });
  });

  test("shows a ban until it ends, or is lifted", () => {
    expect(useOf(freeKey(), bannedTally(T0), T0).bannedUntilMs).toBe(T0 + MINUTE_MS);
    expect(useOf(freeKey(T0 - 1), bannedTally(T0), T0).bannedUntilMs).toBe(T0 + MINUTE_MS);
    expect(useOf(freeKey(T0), bannedTally(T0), T0).bannedUntilMs).toBeUndefined();
    expect(useOf(freeKey(), bannedTally(T0), T0 + MINUTE_MS).bannedUntilMs).toBeUndefined();
  });

  test("agrees with how the next request is judged, and leaves the tally as it is", () => {
    const key = freeKey();
    const policy = ratePolicyOfKey(key.quotas, key.pardonedAtMs);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2_000 }), { maxLength: 200 }), fc.nat({ max: 90_000 }), (gapsMs, waitMs) => {
        const tally = newTally();
        let nowMs = T0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          judge(tally, policy, nowMs);
        }
        nowMs += waitMs;
        const before = structuredClone(tally);
        const use = useOf(key, tally, nowMs);
        expect(tally).toEqual(before);
        const { kind, standing } = judge(tally, policy, nowMs);
        if (kind === "pass") expect(use.minute.remaining).toBe(standing.minute.remaining + 1);
        expect(kind === "pass").toBe(
          use.bannedUntilMs === undefined && use.minute.remaining > 0 && use.day.remaining > 0,
        );
      }),
    );
  });
});

test("a key is shown with what is counted for it; an unknown one is refused", async () => {
  const store = await openKeyStore();
  const issued = await issueKey(store, { name: "x", plan: "free" });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  const { key } = issued.value;
  expect(await showUse(store, key.id)).toEqual(done({ key, use: NOTHING_USED }));
  await store.tallies.save([[key.id, bannedTally(store.clock.nowMs())]]);
  expect(await showUse(store, key.id)).toMatchObject({
    kind: "done",
    value: { key, use: { minute: { used: 60, remaining: 0 }, bannedUntilMs: store.clock.nowMs() + MINUTE_MS } },
  });
  expect(await showUse(store, "key_none")).toEqual(refused({ kind: "no_such_key" }));
});
