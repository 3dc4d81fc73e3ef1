import { expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { noTelemetry } from "../telemetry/telemetry.ts";
import { answeringOptions } from "./preflight.ts";
import { HeldFloods } from "./reply/floods.ts";
import type { HandlerParts } from "./v1-handler.ts";

test("a flood of preflights holds back those of its own address, and of no other", async () => {
  const clock = new FakeClock();
  const parts = { telemetry: noTelemetry, logRequests: false } as unknown as HandlerParts;
  const floods = new HeldFloods(() => clock.nowMs());
  const handle = answeringOptions(
    parts,
    () => ({}),
    floods,
    {},
    () => new Response(null, { status: 500 }),
  );
  const ask = (address: string) => {
    const server = { requestIP: () => ({ address }) } as unknown as Server<undefined>;
    return handle(new Request("http://localhost/v1/pets", { method: "OPTIONS" }) as BunRequest, server);
  };
  const flood = Array.from({ length: 150 }, () => ask("198.51.100.1"));
  expect(flood.filter((answer) => answer instanceof Response)).toHaveLength(100);
  expect(ask("198.51.100.2")).toBeInstanceOf(Response);
  expect(ask("198.51.100.1")).toBeInstanceOf(Promise);
  for (const answer of flood) expect((await answer).status).toBe(204);
});
