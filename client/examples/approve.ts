// Approves the orders that were placed, or one share of them: several processes with one key can share the work.
// Usage: node approve.ts [SHARE OF]   (such as 0 4, 1 4, 2 4 and 3 4, each in a process of its own)
// Runs as it is on Node 22.18 and newer, on Bun and on Deno.

import { AnimalStore, AnimalStoreError } from "animal-store-client";

const [share = "0", of = "1"] = process.argv.slice(2);
const TRY_AGAIN = 75;

// Each process paces itself by what the service says is left of the quota that all of them use.
const store = new AnimalStore({ userAgent: "approve/1.0", maxWaitMs: Number(process.env.MAX_WAIT_MS ?? 120_000) });
let approved = 0;
try {
  for await (const order of store.orders.list({ status: "placed" })) {
    if (BigInt(order.id) % BigInt(of) !== BigInt(share)) continue;
    try {
      await store.orders.approve(order.id);
      approved++;
    } catch (error) {
      // Somebody has approved or cancelled it since it was listed.
      if (!(error instanceof AnimalStoreError) || error.code !== "invalid_transition") throw error;
    }
  }
} catch (error) {
  if (!(error instanceof AnimalStoreError) || !/^(wait_too_long|rate_limit_exceeded)$/.test(error.code)) throw error;
  console.error(`The quota is used up. Run it again in ${Math.ceil((error.retryAfterMs ?? 0) / 1000)} s.`);
  process.exitCode = TRY_AGAIN;
}
console.log(`${approved} approved`);
