import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { Mistake } from "../base/mistake.ts";
import { refused } from "../base/result.ts";
import { digestOf, isPlausibleSecret, KEY_NAME_MAX_CODE_POINTS } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { SCOPES } from "../domain/keys/scope.ts";
import { issueKey, type KeyRequest } from "./issue.ts";
import type { KeyMistake } from "./mistake.ts";

const store = await openKeyStore();
const nowMs = store.clock.nowMs();

test("a key is stored as it was asked for, and its secret only as a digest", async () => {
  const issued = await issueKey(store, { name: "Front desk 🐾", plan: "pro", expiresAtMs: nowMs + 1 });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  const { key, secret } = issued.value;
  expect(key).toEqual({
    id: expect.stringMatching(/^key_[0-9A-Za-z]{12}$/),
    name: "Front desk 🐾",
    plan: "pro",
    quotas: PLANS.pro,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 1,
    revokedAtMs: undefined,
    unbannedAtMs: undefined,
    scopes: SCOPES,
    mayRotate: false,
    suspendedAtMs: undefined,
    lastUsedAtMs: undefined,
  });
  expect(isPlausibleSecret(secret)).toBe(true);
  expect(await store.keys.get(key.id)).toEqual(key);
  expect((await store.keys.findBySecret(digestOf(secret)))?.key.id).toBe(key.id);
});

test("the secret of a key of staging says so", async () => {
  const issued = await issueKey({ ...store, environment: "staging" }, { name: "x", plan: "free" });
  expect(issued).toMatchObject({ kind: "done", value: { secret: expect.stringMatching(/^ask_test_/) } });
});

test("an Enterprise key has the quotas that were agreed", async () => {
  const issued = await issueKey(store, { name: "Zoo", plan: "enterprise", perMinute: 5, perDay: 5 });
  expect(issued).toMatchObject({ kind: "done", value: { key: { quotas: { perMinute: 5, perDay: 5 } } } });
});

test("a key may do everything, or what its scopes say, each once and in order", async () => {
  const scopesOf = async (request: Partial<KeyRequest>) => {
    const issued = await issueKey(store, { name: "x", plan: "free", ...request });
    if (issued.kind === "refused") throw new Error(issued.reason.kind);
    const stored = await store.keys.get(issued.value.key.id);
    expect(stored?.scopes).toEqual(issued.value.key.scopes);
    return stored?.scopes;
  };
  expect(await scopesOf({})).toEqual(SCOPES);
  expect(await scopesOf({ scopes: undefined })).toEqual(SCOPES);
  expect(await scopesOf({ scopes: [...SCOPES].reverse() })).toEqual(SCOPES);
  expect(await scopesOf({ scopes: ["orders:read", "pets:read", "orders:read"] })).toEqual(["pets:read", "orders:read"]);
});

describe("a request is refused, and nothing is stored,", () => {
  const refusals: [why: string, request: Partial<KeyRequest>, reason: KeyMistake][] = [
    ["without a name", { name: " " }, { kind: "invalid_name", mistake: new Mistake("must not be empty or blank") }],
    [
      "with a name that nobody sees",
      { name: "\u200b" },
      {
        kind: "invalid_name",
        mistake: new Mistake("must have a visible character, besides invisible ones such as U+200B"),
      },
    ],
    [
      "with a name that is too long",
      { name: "x".repeat(KEY_NAME_MAX_CODE_POINTS + 1) },
      {
        kind: "invalid_name",
        mistake: new Mistake(`must be at most ${KEY_NAME_MAX_CODE_POINTS} characters long`),
      },
    ],
    ...[" Shop", "Shop ", "\u00a0Shop"].map((name): [string, Partial<KeyRequest>, KeyMistake] => [
      `with a name that has a space at an end: ${JSON.stringify(name)}`,
      { name },
      { kind: "invalid_name", mistake: new Mistake("must not begin or end with a space") },
    ]),
    [
      "with a name that could be taken for an id",
      { name: "key_lOiFY0KnmsGA" },
      { kind: "invalid_name", mistake: new Mistake("must not look like the id of a key") },
    ],
    ["when it would expire at once", { expiresAtMs: nowMs }, { kind: "expiry_not_in_future" }],
    ["when its expiry is not a time", { expiresAtMs: Number.NaN }, { kind: "expiry_not_in_future" }],
    ["without any scope", { scopes: [] }, { kind: "no_scopes" }],
    ["with quotas on a plan that has its own", { perDay: 5 }, { kind: "plan_has_fixed_quotas", plan: "free" }],
    ["with a quota of 0", { perDay: 0 }, { kind: "invalid_quotas", invalid: ["perDay"] }],
    [
      "without a quota that the plan needs",
      { plan: "enterprise", perMinute: 5 },
      { kind: "plan_needs_quotas", plan: "enterprise", missing: ["perDay"] },
    ],
    [
      "when the minute's quota exceeds the day's",
      { plan: "enterprise", perMinute: 6, perDay: 5 },
      { kind: "minute_exceeds_day" },
    ],
  ];
  for (const [why, request, reason] of refusals)
    test(why, async () => {
      const before = await store.keys.revision();
      expect(await issueKey(store, { name: "x", plan: "free", ...request })).toEqual(refused(reason));
      expect(await store.keys.revision()).toBe(before);
    });
});

test("whatever is asked for, an issued key has quotas of which the minute's does not exceed the day's", async () => {
  const quota = fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined });
  const plan = fc.constantFrom("free" as const, "enterprise" as const);
  await fc.assert(
    fc.asyncProperty(plan, quota, quota, async (plan, perMinute, perDay) => {
      const issued = await issueKey(store, { name: "x", plan, perMinute, perDay });
      if (issued.kind === "refused") return;
      const { quotas } = issued.value.key;
      expect(quotas.perMinute).toBeGreaterThan(0);
      expect(quotas.perMinute).toBeLessThanOrEqual(quotas.perDay);
      if (plan === "free") expect(quotas).toEqual(PLANS.free);
    }),
  );
});
