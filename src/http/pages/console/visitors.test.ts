import { describe, expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { openMemoryMeter } from "../../../../test/harness/meters/memory.ts";
import { FakeClock } from "../../../../test/harness/time/clock.ts";
import { newConsoleSecret } from "../../../domain/console-session.ts";
import { ratePolicyOfAddress } from "../../../domain/limits/tally.ts";
import { HeldFlood } from "../../reply/floods.ts";
import type { PageHandlerParts } from "../page.ts";
import { SIGNED_IN, sessionCookiesIn } from "./session-cookie.ts";
import { consolePage } from "./visitors.ts";

const SERVER = { requestIP: () => ({ address: "192.0.2.1" }) } as unknown as Server<undefined>;
/** An address may see nothing at all. */
const NO_PAGES = ratePolicyOfAddress(0);

/** The endpoint of a console that knows one session, for an address that has asked too often. */
function endpoint() {
  const clock = new FakeClock();
  const meter = openMemoryMeter(clock);
  const secret = newConsoleSecret();
  let sessions = [secret];
  const relayed: string[] = [];
  const parts = {
    gate: { admitVisitor: (address: string) => meter.judge(address, NO_PAGES) },
    trustedProxies: undefined,
    telemetry: { refusal() {} },
    refusals: { report() {} },
    refusalFlood: new HeldFlood(() => clock.nowMs()),
  } as unknown as PageHandlerParts;
  const page = consolePage(
    parts,
    (request: BunRequest) => {
      const cookies = sessionCookiesIn(request).map(({ secret }) => secret);
      relayed.push(...cookies);
      const isPage = request.url.endsWith("/console/");
      const isKnown = cookies.some((cookie) => sessions.includes(cookie));
      return new Response(null, {
        status: isPage || isKnown ? 200 : 401,
        headers: !isPage && isKnown ? { [SIGNED_IN]: "yes" } : {},
      });
    },
    () => clock.nowMs(),
  );
  const ask = async (cookie: string, path = "/console/api/session"): Promise<Response> => {
    const headers = { Cookie: `animal_store_console=${cookie}` };
    return page(new Request(`http://localhost${path}`, { headers }) as BunRequest, SERVER);
  };
  const endSessions = () => {
    sessions = [];
  };
  return { ask, secret, relayed, clock, endSessions };
}

describe("an address that has asked for too many pages", () => {
  test("gets nothing more with a cookie that is no session's, whatever it asks for", async () => {
    const { ask, relayed } = endpoint();
    for (const cookie of ["x", "", "a".repeat(42), "a".repeat(5_000)]) expect((await ask(cookie)).status).toBe(429);
    expect(relayed).toEqual([]);
    const statuses: number[] = [];
    for (let i = 0; i < 50; i++) statuses.push((await ask(newConsoleSecret(), "/console/")).status);
    // Some are looked at, as whoever comes back has one that this thread does not know.
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(40).fill(429)]);
  });

  test("gets everything in a session that the console has known lately, in a flood of others too", async () => {
    const { ask, secret, clock } = endpoint();
    const flood = async () => {
      for (let i = 0; i < 20; i++) await ask(newConsoleSecret());
    };
    const first = await ask(secret);
    expect([first.status, first.headers.get(SIGNED_IN)]).toEqual([200, null]);
    for (let i = 0; i < 10; i++) {
      clock.advance(59_000);
      await flood();
      expect((await ask(secret)).status).toBe(200);
    }
    clock.advance(60_000);
    await flood();
    expect((await ask(secret)).status).toBe(429);
  });

  test("is a visitor again as soon as its session has ended", async () => {
    const { ask, secret, endSessions } = endpoint();
    await ask(secret);
    endSessions();
    expect((await ask(secret)).status).toBe(401);
    for (let i = 0; i < 20; i++) await ask(newConsoleSecret());
    expect((await ask(secret)).status).toBe(429);
  });
});
