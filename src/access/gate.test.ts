import { expect, test } from "bun:test";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { digestOf, newKey, newSecret } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { ratePolicyOfAddress } from "../domain/limits/tally.ts";
import { MemoryMeter } from "../meter/memory.ts";
import { newTableMemory, TallyTable } from "../meter/tally-table.ts";
import { createGate } from "./gate.ts";
import { Keyring } from "./keyring.ts";

test("keys that an exhausted address makes up share a query, and a valid one among them passes", async () => {
  const { keys, clock, environment } = await openKeyStore();
  const secret = newSecret();
  const key = newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined });
  await keys.create({ ...SIGNED, key, digest: digestOf(secret) });
  let queries = 0;
  const keyring = new Keyring({
    ...keys,
    findBySecret(digest) {
      queries++;
      return keys.findBySecret(digest);
    },
    findBySecrets(digests) {
      queries++;
      return keys.findBySecrets(digests);
    },
  });
  const meter = new MemoryMeter(clock, new TallyTable(newTableMemory(32), clock));
  const gate = createGate({
    clock,
    keyring,
    keyMeter: meter,
    addressMeter: meter,
    addressPolicy: ratePolicyOfAddress(5),
    environment,
  });
  gate.open();
  const call = (bearer: string, address = "203.0.113.1") => gate.admit(`Bearer ${bearer}`, () => address);
  const reasonOf = async (bearer: string) => {
    const admission = await call(bearer);
    return admission.kind === "pass" ? admission.kind : admission.reason.kind;
  };
  const guesses = (count: number) => Promise.all(Array.from({ length: count }, () => reasonOf(newSecret())));

  expect(await guesses(5)).toEqual(Array(5).fill("unknown"));
  expect(queries).toBe(5);
  const [guessed, passed] = await Promise.all([guesses(500), reasonOf(secret)]);
  expect(guessed).toEqual(Array(500).fill("address_exhausted"));
  expect(passed).toBe("pass");
  expect(queries).toBeLessThan(20);
  // It is cached now, and other addresses are looked up at once.
  const before = queries;
  expect(await reasonOf(secret)).toBe("pass");
  expect(queries).toBe(before);
  expect(await call(newSecret(), "203.0.113.2")).toMatchObject({ reason: { kind: "unknown" } });
  expect(queries).toBe(before + 1);
});
