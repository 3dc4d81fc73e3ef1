import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bannedTally } from "../../../test/harness/service/key-store.ts";
import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { type Key, newKey } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { judge, newTally, ratePolicyOfKey } from "../../domain/limits/tally.ts";
import { trueStateOf, useOf } from "./use.ts";

const T0 = Date.parse("2027-03-01T12:00:00Z");

const freeKey = (unbannedAtMs?: number): Key => ({
  ...newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined }),
  unbannedAtMs,
});

const NOTHING_USED = {
  minute: { quota: 60, used: 0, remaining: 60, resetsAtMs: undefined },
  day: { quota: 1000, used: 0, remaining: 1000, resetsAtMs: undefined },
  bannedUntilMs: undefined,
  ladder: { bansInARow: 0, nextBanMs: MINUTE_MS, forgottenAtMs: undefined },
  strikesLeft: 60,
};

describe("what a key has used", () => {
  test("is nothing when nothing was counted", () => {
    expect(useOf(freeKey(), undefined, T0)).toEqual(NOTHING_USED);
  });

  test("counts in each window until that ends", () => {
    const tally = newTally();
    for (let request = 0; request < 3; request++) judge(tally, ratePolicyOfKey(PLANS.free, undefined), T0);
    const day = { quota: 1000, used: 3, remaining: 997, resetsAtMs: T0 + DAY_MS };
    expect(useOf(freeKey(), tally, T0 + MINUTE_MS - 1)).toEqual({
      ...NOTHING_USED,
      minute: { quota: 60, used: 3, remaining: 57, resetsAtMs: T0 + MINUTE_MS },
      day,
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
    const policy = ratePolicyOfKey(key.quotas, key.unbannedAtMs);
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
        const { kind, quotaStatus } = judge(tally, policy, nowMs);
        if (kind === "pass") expect(use.minute.remaining).toBe(quotaStatus.minute.remaining + 1);
        expect(kind === "pass").toBe(
          use.bannedUntilMs === undefined && use.minute.remaining > 0 && use.day.remaining > 0,
        );
      }),
    );
  });
});

test("the ladder tells how many bans there were in a row, how long the next would be, and when they are forgotten", () => {
  const tally = bannedTally(T0);
  const until = (bansInARow: number, nowMs: number, unbannedAtMs?: number) => {
    tally.banRecord.bansInARow = bansInARow;
    return useOf(freeKey(unbannedAtMs), tally, nowMs).ladder;
  };
  const forgottenAtMs = T0 + MINUTE_MS + DAY_MS;
  expect(until(1, T0)).toEqual({ bansInARow: 1, nextBanMs: 5 * MINUTE_MS, forgottenAtMs });
  expect(until(2, forgottenAtMs - 1)).toEqual({ bansInARow: 2, nextBanMs: 30 * MINUTE_MS, forgottenAtMs });
  expect(until(3, T0).nextBanMs).toBe(60 * MINUTE_MS);
  expect(until(99, T0)).toEqual({ bansInARow: 99, nextBanMs: 60 * MINUTE_MS, forgottenAtMs });
  for (const forgotten of [until(2, forgottenAtMs), until(2, T0, T0)])
    expect(forgotten).toEqual({ bansInARow: 0, nextBanMs: MINUTE_MS, forgottenAtMs: undefined });
});

test("the next ban lasts as long as the ladder says", () => {
  const policy = ratePolicyOfKey(PLANS.free, undefined);
  const tally = newTally();
  let nowMs = T0;
  for (let ban = 0; ban < 6; ban++) {
    const { nextBanMs } = useOf(freeKey(), tally, nowMs).ladder;
    while (judge(tally, policy, nowMs).kind !== "banned");
    expect(tally.banRecord.bannedUntilMs).toBe(nowMs + nextBanMs);
    nowMs = tally.banRecord.bannedUntilMs;
  }
});

test("the state is the strongest reason: revoked, expired, suspended, banned, and active without any", () => {
  const reasons = { revokedAtMs: T0, expiresAtMs: T0, suspendedAtMs: T0 };
  const state = (change: Partial<Key>, bannedUntilMs = T0 + 1) =>
    trueStateOf({ ...freeKey(), ...change }, bannedUntilMs, T0);
  expect(state(reasons)).toBe("revoked");
  expect(state({ ...reasons, revokedAtMs: undefined })).toBe("expired");
  expect(state({ suspendedAtMs: T0 })).toBe("suspended");
  expect(state({})).toBe("banned");
  expect(trueStateOf(freeKey(), undefined, T0)).toBe("active");
});
