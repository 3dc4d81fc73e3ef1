import { describe, expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import type { Pass } from "../access/gate.ts";
import { done, refused } from "../base/result.ts";
import type { IdempotencyKey, IdempotentResult } from "../domain/idempotency.ts";
import { newKey } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { newTally, quotaStatusOf, ratePolicyOfKey } from "../domain/limits/tally.ts";
import { newCountedKey } from "../domain/usage/usage.ts";
import { ReplyCache } from "./cache/reply-cache.ts";
import { type AnyOperation, operation } from "./declare/operation.ts";
import { idInPath } from "./declare/parameters.ts";
import type { Outcome } from "./faults/fault.ts";
import { GET_PET_REMOVED, IDEMPOTENCY_MISMATCH, PET_NOT_FOUND } from "./faults/faults.ts";
import { Reply } from "./reply/reply.ts";
import { createAddresses } from "./request/addresses.ts";
import { createWithIdempotency } from "./request/idempotency.ts";
import { RunnableOperation, type RunParts } from "./run-operation.ts";

const KEY = newKey({ name: "test", plan: "pro", quotas: PLANS.pro, createdAtMs: 0, expiresAtMs: undefined });
const QUOTA_STATUS = quotaStatusOf(newTally(), ratePolicyOfKey(KEY.quotas, undefined), 0);
/** Nothing is asked of it: the address is known. */
const SERVER = {} as Server<undefined>;
const CALLER: Pass = { kind: "pass", key: KEY, counted: newCountedKey(KEY.id), quotaStatus: QUOTA_STATUS };

/** An operation of a kind that the interface does not have yet: it removes something, and answers without a body. */
const removal = (
  perform: (petId: bigint, key: IdempotencyKey | undefined) => IdempotentResult<bigint, "unknown">,
  extra: Partial<AnyOperation> = {},
) => ({
  ...operation({
    name: "deletePet",
    method: "DELETE",
    path: "/pets/{petId}",
    tag: { name: "Pets", description: "" },
    scope: "pets:write",
    summary: "",
    description: "",
    parameters: { petId: idInPath("The animal's id.", 42, PET_NOT_FOUND) },
    idempotency: true,
    success: { status: 204, description: "" },
    faults: [],
    perform: async ({ parameters: { petId }, idempotencyKey }) => perform(petId, idempotencyKey),
    render: () => ({ body: null }),
    refuse: () => PET_NOT_FOUND,
  }),
  ...extra,
});

async function run(declared: AnyOperation, petId = "42", headers: Record<string, string> = {}): Promise<Outcome> {
  const parts = {
    clock: { nowMs: () => 1000 },
    steadyClock: { nowMs: () => 1000 },
    addresses: createAddresses(
      { publicUrl: "http://host/v1", environment: "production", otherUrl: undefined },
      undefined,
    ),
    replyCache: new ReplyCache(() => undefined),
    withIdempotency: createWithIdempotency(),
    bodyTimeoutMs: 1000,
  } as unknown as RunParts;
  const request = Object.assign(new Request(`http://host/v1/pets/${petId}`, { method: "DELETE", headers }), {
    params: { petId },
  });
  return new RunnableOperation(declared, parts).run(request as unknown as BunRequest, SERVER, CALLER);
}

describe("an operation without a body", () => {
  test("is answered with its status and no content type", async () => {
    const reply = (await run(removal((petId) => done(petId)))) as Reply;
    expect([reply.status, reply.body]).toEqual([204, null]);
    expect(reply.template).toBe(new Reply(204, null, {}, undefined).template);
  });

  test("is refused as it declares", async () => {
    expect(await run(removal(() => refused("unknown" as const)))).toBe(PET_NOT_FOUND);
    expect(
      await run(
        removal((petId) => done(petId)),
        "x",
      ),
    ).toBe(PET_NOT_FOUND);
  });
});

describe("any write can be retried", () => {
  test("its fingerprint tells what its path names", async () => {
    const keys: (IdempotencyKey | undefined)[] = [];
    const declared = removal((petId, key) => {
      keys.push(key);
      return done(petId);
    });
    for (const petId of ["42", "42", "43"]) await run(declared, petId, { "Idempotency-Key": "a" });
    const [first, retry, other] = keys.map((key) => key?.fingerprint);
    expect(first).toBe(retry as string);
    expect(other).not.toBe(first as string);
    expect(keys[0]).toEqual({ keyId: KEY.id, value: "a", fingerprint: first as string, nowMs: 1000 });
  });

  test("a replay is rendered from the saved value, and says that it is one", async () => {
    const replay = removal(() => ({ kind: "replay", content: { kind: "value", value: 42n } }));
    const reply = (await run(replay, "42", { "Idempotency-Key": "a" })) as Reply;
    expect([reply.status, reply.body, reply.headers]).toEqual([204, null, { "Idempotency-Replayed": "true" }]);
  });

  test("what release 1.0.0 saved is sent again byte for byte, with a link to the address of today", async () => {
    const saved = { kind: "rendered", status: 201, body: '{"id": 1}', location: "http://old/v1/pets/1" } as const;
    const reply = (await run(
      removal(() => ({ kind: "replay", content: saved })),
      "42",
      { "Idempotency-Key": "a" },
    )) as Reply;
    expect([reply.status, reply.body]).toEqual([201, saved.body]);
    expect(reply.headers).toEqual({ Location: "http://host/v1/pets/1", "Idempotency-Replayed": "true" });
  });

  test("a key that was used for another request is a mismatch", async () => {
    expect(
      await run(
        removal(() => ({ kind: "mismatch" })),
        "42",
        { "Idempotency-Key": "a" },
      ),
    ).toBe(IDEMPOTENCY_MISMATCH);
  });
});

test("an operation that has been removed does nothing", async () => {
  let calls = 0;
  const deprecation = { sinceMs: 0, removedAtMs: 1000, removed: GET_PET_REMOVED, successor: "/pets" };
  const declared = removal(
    (petId) => {
      calls++;
      return done(petId);
    },
    { deprecation },
  );
  expect(await run(declared)).toBe(GET_PET_REMOVED);
  expect(calls).toBe(0);
});
