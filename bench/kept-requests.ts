// Times, in a loop on one thread, how long it takes to find out whether a request is kept, and to keep one.
// Usage: npm run bench:kept-requests

import { UNKNOWN_KEY } from "../src/http/faults/refusal-faults.ts";
import { keptRequest } from "../src/http/request/kept-request.ts";
import { RequestKeeper } from "../src/telemetry/request-keeper.ts";
import { say, whole } from "./common/tools.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const ROUNDS = 5_000_000;

/** Nanoseconds of the processor that a round takes; the median of some runs. */
function measure(rounds: number, work: (round: number) => void): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round++) work(round);
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / rounds;
  });
  return runs.sort((a, b) => a - b)[3] as number;
}

const tell = (what: string, nanoseconds: number): void => say(`${what.padEnd(58)} ${whole(nanoseconds)} ns`);

for (const count of [1, 1_000, 10_000]) {
  const keeper = new RequestKeeper();
  const keyIds = Array.from({ length: count }, (_, i) => `key_${String(i).padStart(12, "0")}`);
  // Every key has used up its share of the hour.
  for (const keyId of keyIds)
    for (const status of [200, 429]) for (let i = 0; i < 100; i++) keeper.wants(keyId, status, NOW);
  for (const [what, status] of [
    ["a success that is not kept", 200],
    ["a refusal that is not kept, as of a flood", 429],
  ] as const) {
    // A stride that is prime to the number of keys: no two requests in a row are of one key.
    const took = measure(ROUNDS, (round) => keeper.wants(keyIds[(round * 7919) % count] as string, status, NOW + 1));
    tell(`${what}, of ${whole(count)} ${count === 1 ? "key" : "keys"}`, took);
  }
}

const full = new RequestKeeper(0);
tell(
  "any, while as many wait as may",
  measure(ROUNDS, () => full.wants("key_a", 429, NOW)),
);

const request = new Request("http://localhost/v1/pets/42", { method: "POST" });
const keeper = new RequestKeeper(Number.POSITIVE_INFINITY);
const asked = { request, requestId: crypto.randomUUID(), isWrite: true };
const answered = { outcome: UNKNOWN_KEY, status: UNKNOWN_KEY.status, tookMs: 0.4 };
const took = measure(100_000, () => keeper.keep(keptRequest(asked, "key_a", answered), NOW));
tell("one that is kept", took);
