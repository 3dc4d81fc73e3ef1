import { expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { PLANS } from "../domain/keys/plan.ts";
import { judge, newTally, ratePolicyOfKey } from "../domain/limits/tally.ts";
import { noTelemetry } from "../telemetry/telemetry.ts";
import { type HandlerParts, V1Handler } from "./v1-handler.ts";

test("a request whose response fails is answered with 500, and counted once", async () => {
  const { quotaStatus } = judge(newTally(), ratePolicyOfKey(PLANS.free, undefined), 0);
  const [counted, reported]: [unknown[], string[]] = [[], []];
  let responses = 0;
  const parts = {
    gate: { admit: () => ({ kind: "pass", key: { id: "key_1", scopes: [] }, quotaStatus, counted: "key_1" }) },
    telemetry: noTelemetry,
    usage: { count: (_: unknown, outcome: unknown) => void counted.push(outcome) },
    connections: { areClosing: false },
    failures: { report: (_: string, { message }: Error) => void reported.push(message) },
    cors() {
      if (responses++ === 0) throw new Error("bad header");
      return {};
    },
  } as unknown as HandlerParts;
  const { handle } = new V1Handler(parts, undefined);
  const request = new Request("http://localhost/v1/nothing") as BunRequest;
  const response = await handle(request, {} as Server<undefined>);
  expect([response.status, responses]).toEqual([500, 2]);
  expect(reported).toEqual(["bad header"]);
  expect(counted).toHaveLength(1);
});
