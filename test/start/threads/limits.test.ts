import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BAN_LADDER_MS } from "../../../src/domain/limits/ban.ts";
import {
  judge,
  newTally,
  type RatePolicy,
  ratePolicyOfAddress,
  ratePolicyOfKey,
} from "../../../src/domain/limits/tally.ts";
import { setUp } from "../../harness/cleanup.ts";
import { KeptConnections } from "../../harness/requests/kept-connections.ts";
import type { Answer, CallOptions } from "../../harness/requests/send.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { startService, type TestService } from "../../harness/service/service.ts";
import { FakeClock } from "../../harness/time/clock.ts";

// Four threads count as one does, however requests arrive at once over connections to all of them.

const ANONYMOUS_PER_MINUTE = 40;
const MINUTE = 60_000;
const DAY = 86_400_000;
/** Trusted as a proxy: connections stay open after a refusal, and callers without a key have addresses of their own. */
const env = { THREADS: "4", TRUSTED_PROXIES: "127.0.0.1", ANONYMOUS_PER_MINUTE: String(ANONYMOUS_PER_MINUTE) };

const clock = new FakeClock();
let service: TestService;
let connections: KeptConnections;
setUp(async () => {
  service = await startService({ clock, env });
  connections = await KeptConnections.open(service);
});

/** Sends this many requests at once. */
const burst = (requests: number, options: CallOptions): Promise<Answer[]> =>
  Promise.all(Array.from({ length: requests }, (_, i) => connections.call(i, "GET /pets", options)));

/** The answer to a request: whether it passes, and the rest of the quota with its reset. */
const said = ({ status, json, headers }: Answer): string =>
  [
    status === 429 ? json.code : "pass",
    ...["remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`)),
  ].join(" ");

/** The rule's answers to as many requests, one after the other. */
function ruled(requests: number, tally: ReturnType<typeof newTally>, policy: RatePolicy): string[] {
  const names = { pass: "pass", exhausted: "rate_limit_exceeded", banned: "key_banned" };
  return Array.from({ length: requests }, () => {
    const { kind, quotaStatus } = judge(tally, policy, clock.nowMs());
    return [names[kind], quotaStatus.shown.remaining, Math.ceil(quotaStatus.shown.resetAtMs / 1000)].join(" ");
  });
}

const anyBursts = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constantFrom(0, MINUTE - 1, MINUTE, DAY, ...BAN_LADDER_MS)),
    requests: fc.integer({ min: 1, max: 150 }),
  }),
  { minLength: 1, maxLength: 6 },
);
const anyQuotas = fc.record({ perMinute: fc.integer({ min: 1, max: 90 }), perDay: fc.integer({ min: 1, max: 300 }) });

describe("over random quotas, bursts and clock steps, four threads say what the rule says", () => {
  test("to a key", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuotas, anyBursts, async (quotas, bursts) => {
        const { secret } = await service.issueKey({ plan: "enterprise", quotas });
        const tally = newTally();
        for (const { waitMs, requests } of bursts) {
          clock.advance(waitMs);
          const answers = await burst(requests, { secret });
          expect(answers.map(said).sort()).toEqual(ruled(requests, tally, ratePolicyOfKey(quotas, undefined)).sort());
        }
      }),
      { numRuns: 30 },
    );
  });

  test("to an address", async () => {
    let addresses = 0;
    await fc.assert(
      fc.asyncProperty(anyBursts, async (bursts) => {
        const options = { secret: null, headers: { "X-Forwarded-For": `192.0.2.${++addresses}` } };
        const tally = newTally();
        for (const { waitMs, requests } of bursts) {
          clock.advance(waitMs);
          const answers = await burst(requests, options);
          // A request without a key is refused in any case: that it was counted shows in what remains.
          const outcomes = answers.map((answer) => said(answer));
          expect(outcomes.sort()).toEqual(ruled(requests, tally, ratePolicyOfAddress(ANONYMOUS_PER_MINUTE)).sort());
        }
      }),
      { numRuns: 15 },
    );
  });
});

const codes = (answers: readonly Answer[]): Set<string> =>
  new Set(answers.map(({ status, json }) => (status === 200 ? "pass" : json.code)));

test("a ban that one thread imposes is felt by all of them at once, and an unban soon", async () => {
  const { id, secret } = await service.issueKey({ plan: "free" });
  for (let i = 0; i < 120; i++) await connections.call(0, "GET /pets", { secret });
  expect(codes(await connections.callAll("GET /pets", { secret }))).toEqual(new Set(["key_banned"]));
  clock.advance(1);
  await service.withStore(({ keys }) => keys.unban({ ...SIGNED, keyId: id, atMs: clock.nowMs() }));
  const perConnection = async (number: number) => {
    while (codes([await connections.call(number, "GET /pets", { secret })]).has("key_banned")) await Bun.sleep(20);
  };
  await Promise.all(Array.from({ length: connections.count }, (_, i) => perConnection(i)));
  clock.advance(MINUTE);
  expect(codes(await connections.callAll("GET /pets", { secret }))).toEqual(new Set(["pass"]));
});

test("counters of all threads survive a restart", async () => {
  const { secret } = await service.issueKey({ plan: "free" });
  const banned = await service.issueKey({ plan: "free" });
  await burst(45, { secret });
  await burst(130, { secret: banned.secret });
  await service.stop();
  service = await startService({ clock, env: { ...env, ...service.storage }, secret: service.boundless });
  connections = await KeptConnections.open(service);
  const answers = await connections.callAll("GET /pets", { secret });
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
  expect(codes(await connections.callAll("GET /pets", { secret: banned.secret }))).toEqual(new Set(["key_banned"]));
});
