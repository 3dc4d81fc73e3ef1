// Makes the animals of a store like those of a CSV file. It remembers their ids in a file beside it, so run it again
// after any change, or after a crash: what was done is not done again.
// Usage: node sync.ts animals.csv   (lines such as A-1,Rex,7 or A-2,Mia,3,sold)

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { AnimalStore, AnimalStoreError, type NewPet, type Pet, type PetStatus } from "animal-store-client";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("Usage: sync FILE");
  process.exit(2);
}

const store = new AnimalStore({ userAgent: "sync/1.0" });
const known = existsSync(`${file}.ids`) ? readFileSync(`${file}.ids`, "utf8").split("\n").filter(Boolean) : [];
const ids = new Map(known.map((line) => line.split(",") as [string, string]));
const contentOf = ({ name, categoryId, status }: NewPet | Pet): string => [name, categoryId, status].join();
const contents = new Map<string, string>();
if (ids.size > 0) for await (const pet of store.pets.list()) contents.set(pet.id, contentOf(pet));

const done = { added: 0, changed: 0, unchanged: 0, wrong: 0 };
const additions: { line: number; sku: string; pet: NewPet }[] = [];
for (const [index, text] of readFileSync(file, "utf8").split(/\r?\n/).entries()) {
  if (text.trim() === "") continue;
  const [sku = "", name = "", categoryId = "", status = "available"] = text.split(",").map((cell) => cell.trim());
  const [line, id, pet] = [index + 1, ids.get(sku), { name, categoryId, status: status as PetStatus }];
  if (!sku || !name) refuse(line, "expected an id of your own, a name, a category and perhaps a status");
  else if (id === undefined) additions.push({ line, sku, pet });
  else if (contents.get(id) === contentOf(pet)) done.unchanged++;
  else await change(line, id, pet);
}
// After a crash, the same key gets the same animal again, so that none is added twice.
const idempotencyKey = ({ sku }: { sku: string }): string => `sync-${sku}`;
const adding = store.pets.createMany(additions, { toPet: ({ pet }) => pet, idempotencyKey, concurrency: 16 });
for await (const { row, pet, error } of adding) {
  if (pet) appendFileSync(`${file}.ids`, `${row.sku},${pet.id}\n`);
  pet ? done.added++ : refuse(row.line, error.message);
}
console.log(Array.from(Object.entries(done), ([what, count]) => `${count} ${what}`).join(", "));
process.exitCode = done.wrong > 0 ? 1 : 0;

async function change(line: number, id: string, pet: NewPet): Promise<void> {
  try {
    await store.pets.update(id, pet);
    done.changed++;
  } catch (error) {
    // A line that the service refuses does not stop the others; what concerns all of them does.
    const isOfLine = error instanceof AnimalStoreError && [400, 404, 409, 422].includes(error.status ?? 0);
    if (!isOfLine && !(error instanceof TypeError)) throw error;
    refuse(line, error.message);
  }
}

function refuse(line: number, reason: string): void {
  console.error(`${file}:${line}: ${reason}`);
  done.wrong++;
}
