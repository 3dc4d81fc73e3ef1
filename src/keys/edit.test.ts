import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { Mistake } from "../base/mistake.ts";
import { done, refused } from "../base/result.ts";
import { DAY_MS } from "../base/time/clock.ts";
import { KEY_NAME_MAX_CODE_POINTS, type Key } from "../domain/keys/key.ts";
import { PLAN_NAMES, PLANS } from "../domain/keys/plan.ts";
import { READ_SCOPES, SCOPES } from "../domain/keys/scope.ts";
import { type EditRefusal, editKey, type KeyEdit } from "./edit.ts";
import { issueKey, type KeyRequest } from "./issue.ts";

const store = await openKeyStore();
const nowMs = store.clock.nowMs();

const ZOO = { plan: "enterprise", perMinute: 5, perDay: 50 } as const;

async function issue(request: Partial<KeyRequest> = {}): Promise<Key> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value.key;
}

const edit = (key: Key, change: Omit<KeyEdit, "idOrName">) => editKey(store, { idOrName: key.id, ...change });

describe("an edit changes what is given, and nothing else:", () => {
  const edits: [what: string, before: Partial<KeyRequest>, change: Omit<KeyEdit, "idOrName">, after: Partial<Key>][] = [
    ["the name", {}, { name: "Front desk 🐾" }, { name: "Front desk 🐾" }],
    ["the plan, with its quotas", {}, { plan: "pro" }, { plan: "pro", quotas: PLANS.pro }],
    ["from enterprise to a plan", ZOO, { plan: "free" }, { plan: "free", quotas: PLANS.free }],
    ["to enterprise", {}, ZOO, { plan: "enterprise", quotas: { perMinute: 5, perDay: 50 } }],
    ["one quota", ZOO, { perDay: 60 }, { quotas: { perMinute: 5, perDay: 60 } }],
    ["both quotas", ZOO, { perMinute: 7, perDay: 7 }, { quotas: { perMinute: 7, perDay: 7 } }],
    ["enterprise named again", ZOO, { plan: "enterprise", perMinute: 6 }, { quotas: { perMinute: 6, perDay: 50 } }],
    ["enterprise named again, and no quotas", ZOO, { plan: "enterprise" }, {}],
    ["the scopes, in order", {}, { scopes: ["orders:read", "pets:read", "pets:read"] }, { scopes: READ_SCOPES }],
    ["all scopes again", { scopes: ["pets:read"] }, { scopes: [...SCOPES] }, { scopes: SCOPES }],
    ["the expiry", {}, { expiresAtMs: nowMs + 1 }, { expiresAtMs: nowMs + 1 }],
    ["an expiry to never", { expiresAtMs: nowMs + DAY_MS }, { expiresAtMs: null }, { expiresAtMs: undefined }],
    ["what is so already", {}, { name: "x", plan: "free", scopes: SCOPES, expiresAtMs: null }, {}],
    [
      "everything at once",
      ZOO,
      { name: "y", plan: "pro", scopes: ["pets:write"], expiresAtMs: nowMs + 5 },
      { name: "y", plan: "pro", quotas: PLANS.pro, scopes: ["pets:write"], expiresAtMs: nowMs + 5 },
    ],
  ];
  for (const [what, request, change, after] of edits)
    test(what, async () => {
      const before = await issue(request);
      const key = { ...before, ...after };
      expect(await edit(before, change)).toEqual(done({ before, key }));
      expect(await store.keys.get(before.id)).toEqual(key);
    });
});

describe("an edit is refused, and changes nothing,", () => {
  const refusals: [why: string, before: Partial<KeyRequest>, change: Omit<KeyEdit, "idOrName">, reason: EditRefusal][] =
    [
      ["when nothing is given", {}, {}, { kind: "nothing_to_change" }],
      [
        "when everything given is undefined",
        {},
        { name: undefined, expiresAtMs: undefined },
        { kind: "nothing_to_change" },
      ],
      [
        "with a blank name",
        {},
        { name: "" },
        { kind: "invalid_name", mistake: new Mistake("must not be empty or blank") },
      ],
      [
        "with a name that is too long",
        {},
        { name: "x".repeat(101) },
        { kind: "invalid_name", mistake: new Mistake(`must be at most ${KEY_NAME_MAX_CODE_POINTS} characters long`) },
      ],
      [
        "with a name that has a space at an end",
        {},
        { name: "Shop " },
        { kind: "invalid_name", mistake: new Mistake("must not begin or end with a space") },
      ],
      [
        "with a name that could be taken for an id",
        {},
        { name: "key_lOiFY0KnmsGA" },
        { kind: "invalid_name", mistake: new Mistake("must not look like the id of a key") },
      ],
      ["with an expiry that is not in the future", {}, { expiresAtMs: nowMs }, { kind: "expiry_not_in_future" }],
      ["with an expiry that is no time", {}, { expiresAtMs: Number.NaN }, { kind: "expiry_not_in_future" }],
      ["without any scope", {}, { scopes: [] }, { kind: "no_scopes" }],
      ["with quotas on a plan that has its own", {}, { perDay: 5 }, { kind: "plan_has_fixed_quotas", plan: "free" }],
      [
        "with quotas beside a plan that has its own",
        ZOO,
        { plan: "pro", perDay: 5 },
        { kind: "plan_has_fixed_quotas", plan: "pro" },
      ],
      [
        "to enterprise with one quota",
        {},
        { plan: "enterprise", perDay: 5 },
        { kind: "plan_needs_quotas", plan: "enterprise", missing: ["perMinute"] },
      ],
      ["with a quota of 0", ZOO, { perMinute: 0 }, { kind: "invalid_quotas", invalid: ["perMinute"] }],
      ["when the minute's quota would exceed the day's", ZOO, { perDay: 4 }, { kind: "minute_exceeds_day" }],
      ["when one of several changes is refused", {}, { name: "y", scopes: [] }, { kind: "no_scopes" }],
    ];
  for (const [why, request, change, reason] of refusals)
    test(why, async () => {
      const key = await issue(request);
      const before = await store.keys.revision();
      expect(await edit(key, change)).toEqual(refused(reason));
      expect(await store.keys.get(key.id)).toEqual(key);
      expect(await store.keys.revision()).toBe(before);
    });

  test("for a key that is unknown or revoked", async () => {
    expect(await editKey(store, { idOrName: "nobody", name: "y" })).toEqual(
      refused({ kind: "no_such_key", suggestion: undefined }),
    );
    const key = await issue();
    await store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: 5 });
    expect(await edit(key, { name: "y" })).toEqual(
      refused({ kind: "ended", state: "revoked", key: { ...key, revokedAtMs: 5 } }),
    );
  });
});

test("an expired key works again with a later expiry, and a suspended one can be edited", async () => {
  const key = await issue({ expiresAtMs: nowMs + 1 });
  await store.keys.suspend({ ...SIGNED, keyId: key.id, atMs: nowMs });
  const clock = { nowMs: () => nowMs + DAY_MS };
  const edited = await editKey({ ...store, clock }, { idOrName: key.id, expiresAtMs: nowMs + 2 * DAY_MS });
  expect(edited).toMatchObject(done({ key: { expiresAtMs: nowMs + 2 * DAY_MS, suspendedAtMs: nowMs } }));
});

test("whatever edits follow each other, a key has the quotas of its plan, or such that the minute's does not exceed the day's", async () => {
  const quota = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
  const change = fc.record({
    plan: fc.option(fc.constantFrom(...PLAN_NAMES), { nil: undefined }),
    perMinute: quota,
    perDay: quota,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
      const { id } = await issue();
      for (const each of changes) await editKey(store, { idOrName: id, ...each });
      const { plan, quotas } = (await store.keys.get(id)) as Key;
      expect(quotas).toEqual(PLANS[plan] ?? quotas);
      expect(quotas.perMinute).toBeGreaterThan(0);
      expect(quotas.perMinute).toBeLessThanOrEqual(quotas.perDay);
    }),
  );
});
