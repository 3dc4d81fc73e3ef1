import { expect, test } from "bun:test";
import { factOfStep, jsonOfStep, withActors } from "./order-steps.ts";

const AT_MS = Date.parse("2027-03-01T12:00:00Z");

test("a step is by a key, also one that was deleted, by a person in a role, or by somebody who was not recorded", async () => {
  const keys = { get: (id: string) => (id === "key_1" ? { name: "Till" } : undefined) };
  const steps = await withActors({ keys } as unknown as Parameters<typeof withActors>[0], [
    { status: "placed", atMs: AT_MS, by: { keyId: "key_1" } },
    { status: "placed", atMs: AT_MS, by: { keyId: "key_2" } },
    { status: "approved", atMs: AT_MS, by: { by: "Anna", via: "console", role: "clerk" } },
    { status: "delivered", atMs: undefined, by: undefined },
  ]);
  expect(steps.map((step, i) => factOfStep(step, i).join(": "))).toEqual([
    "history: placed 2027-03-01 12:00:00Z by the key Till (key_1)",
    ": placed 2027-03-01 12:00:00Z by the deleted key key_2",
    ": approved 2027-03-01 12:00:00Z by Anna (clerk, console)",
    ": delivered, time not recorded, by somebody not recorded",
  ]);
  expect(steps.slice(1).map(jsonOfStep)).toEqual([
    { status: "placed", at: "2027-03-01T12:00:00Z", by: { kind: "key", id: "key_2", name: null } },
    {
      status: "approved",
      at: "2027-03-01T12:00:00Z",
      by: { kind: "person", by: "Anna", via: "console", role: "clerk" },
    },
    { status: "delivered", at: null, by: null },
  ]);
});
