// Prints changes to the hundred newest animals. A poll that finds nothing new transfers no body.
// Usage: node watch.ts [SECONDS]   (between two polls; 5 if left out)
// Runs as it is on Node 22.18 and newer, on Bun and on Deno.

import { setTimeout as sleep } from "node:timers/promises";
import { AnimalStore, type Int64, type Pet } from "animal-store-client";

const seconds = Number(process.argv[2] ?? 5);
const ending = new AbortController();
process.once("SIGINT", () => ending.abort());
process.once("SIGTERM", () => ending.abort());

const store = new AnimalStore({ userAgent: "watch/1.0" });
let known: Map<Int64, Pet> | undefined;
let etag: string | undefined;

while (!ending.signal.aborted) {
  const answer = await store.pets.list({ sort: "-id", limit: 100 }, { ifNoneMatch: etag }).withResponse();
  if (answer.data) {
    const newest = new Map(answer.data.items.map((pet) => [pet.id, pet]));
    if (known) show(known, newest);
    else console.log(`Watching ${newest.size} animals.`);
    [known, etag] = [newest, answer.etag];
  }
  await sleep(seconds * 1000, undefined, { signal: ending.signal }).catch(() => {});
}

function show(before: Map<Int64, Pet>, after: Map<Int64, Pet>): void {
  for (const [id, pet] of after) {
    const old = before.get(id);
    if (!old) console.log(`+ ${id} ${pet.name}, ${pet.status}`);
    else if (old.status !== pet.status) console.log(`  ${id} ${pet.name} was ${old.status}, and is ${pet.status}`);
    else if (old.name !== pet.name) console.log(`  ${id} ${old.name} is now called ${pet.name}`);
  }
  // On a full page, an animal older than the last one may still exist: newer ones have pushed it off the page.
  const last = after.size < 100 ? 0n : BigInt([...after.keys()].at(-1) ?? 0);
  for (const [id, pet] of before) if (!after.has(id) && BigInt(id) > last) console.log(`- ${id} ${pet.name}`);
}
