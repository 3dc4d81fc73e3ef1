import { describe, expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { openMemoryMeter } from "../../../../test/harness/meters/memory.ts";
import { FakeClock } from "../../../../test/harness/time/clock.ts";
import { newConsoleSecret } from "../../../domain/console-session.ts";
import { digestOf } from "../../../domain/keys/key.ts";
import { ratePolicyOfAddress } from "../../../domain/limits/tally.ts";
import { HeldFlood } from "../../reply/floods.ts";
import type { PageHandlerParts } from "../page.ts";
import { KnownSessions } from "./known-sessions.ts";
import { consolePage } from "./visitors.ts";

const SERVER = { requestIP: () => ({ address: "192.0.2.1" }) } as unknown as Server<undefined>;
/** An address may see nothing at all. */
const NO_PAGES = ratePolicyOfAddress(0);

/** The page of a console, for an address that has asked too often. What is relayed gets 200. */
function consoleFor() {
  const clock = new FakeClock();
  const meter = openMemoryMeter(clock);
  let reads = 0;
  const store = {
    sessions: [] as string[],
    isAway: false,
    async digests() {
      reads++;
      if (store.isAway) throw new Error("away");
      return store.sessions.map(digestOf);
    },
  };
  const parts = {
    gate: { admitVisitor: (address: string) => meter.judge(address, NO_PAGES) },
    trustedProxies: undefined,
    telemetry: { refusal() {} },
    refusals: { report() {} },
    refusalFlood: new HeldFlood(() => clock.nowMs()),
  } as unknown as PageHandlerParts;
  const sleep = async (ms: number) => clock.advance(ms);
  const sessions = new KnownSessions(store, clock, { monotonicMs: () => clock.monotonicMs(), sleep });
  const page = consolePage(parts, { relay: () => new Response(), sessions });
  const ask = async (cookie: string): Promise<number> => {
    const headers = { Cookie: `animal_store_console=${cookie}` };
    const response = await page(new Request("http://localhost/console/", { headers }) as BunRequest, SERVER);
    return response.status;
  };
  const flood = (count: number) => Promise.all(Array.from({ length: count }, () => ask(newConsoleSecret())));
  return { ask, flood, store, clock, reads: () => reads };
}

describe("an address that has asked for too many pages", () => {
  test("gets nothing with a cookie that is no session's, and nobody looks for what cannot be one", async () => {
    const { ask, flood, reads } = consoleFor();
    for (const cookie of ["x", "", "a".repeat(42), "a".repeat(5_000)]) expect(await ask(cookie)).toBe(429);
    expect(reads()).toBe(0);
    expect(new Set(await flood(50))).toEqual(new Set([429]));
  });

  test("gets everything in a session, also in a new one, in a flood of others, which share their reads", async () => {
    const { ask, flood, store, clock, reads } = consoleFor();
    const startedAtMs = clock.monotonicMs();
    for (let i = 0; i < 10; i++) {
      const made = flood(100);
      const secret = newConsoleSecret();
      store.sessions.push(secret);
      expect(await ask(secret)).toBe(200);
      expect(new Set(await made)).toEqual(new Set([429]));
    }
    for (const secret of store.sessions) expect(await ask(secret)).toBe(200);
    expect(reads()).toBeLessThanOrEqual(1 + (clock.monotonicMs() - startedAtMs) / 100);
    expect(reads()).toBeLessThanOrEqual(20);
  });

  test("is a visitor again within 5 seconds of the end of its session, but not while nobody can look", async () => {
    const { ask, store, clock } = consoleFor();
    const secret = newConsoleSecret();
    store.sessions = [secret];
    expect(await ask(secret)).toBe(200);
    store.sessions = [];
    store.isAway = true;
    clock.advance(60_000);
    expect(await ask(secret)).toBe(200);
    store.isAway = false;
    clock.advance(5_000);
    expect(await ask(secret)).toBe(429);
  });
});
