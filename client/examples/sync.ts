// Makes the animals of a store like those of a CSV file. It remembers their ids in a file beside it, so run it again
// after any change, or after a crash: what was done is not done again.
// Usage: node sync.ts animals.csv   (lines such as A-1,Rex,7 or A-2,Mia,3,sold)

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { AnimalStore, AnimalStoreError, type Pet, type PetStatus } from "animal-store-client";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("Usage: sync FILE");
  process.exit(2);
}

const store = new AnimalStore({ userAgent: "sync/1.0" });
const known = existsSync(`${file}.ids`) ? readFileSync(`${file}.ids`, "utf8").split("\n").filter(Boolean) : [];
const ids = new Map(known.map((line) => line.split(",") as [string, string]));
const pets = new Map<string, Pet>();
if (ids.size > 0) for await (const pet of store.pets.list()) pets.set(pet.id, pet);

const done = { added: 0, changed: 0, unchanged: 0, wrong: 0 };
const lines = readFileSync(file, "utf8").split(/\r?\n/).entries();
// Sixteen workers take lines from one iterator, so that so many requests are on their way at a time.
await Promise.all(Array.from({ length: 16 }, work));
console.log(
  Object.entries(done)
    .map(([what, count]) => `${count} ${what}`)
    .join(", "),
);
process.exitCode = done.wrong > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (const [index, line] of lines) {
    try {
      if (line.trim() !== "") done[await sync(line.split(",").map((cell) => cell.trim()))]++;
    } catch (error) {
      // A line that the service refuses does not stop the others; what concerns all of them does.
      const isOfLine = error instanceof AnimalStoreError && [400, 404, 409, 422].includes(error.status ?? 0);
      if (!isOfLine && !(error instanceof TypeError)) throw error;
      console.error(`${file}:${index + 1}: ${error.message}`);
      done.wrong++;
    }
  }
}

async function sync([sku, name, categoryId = "", status = "available"]: string[]): Promise<keyof typeof done> {
  if (!sku || !name) throw new TypeError("expected an id of your own, a name, a category and perhaps a status");
  const [id, wanted] = [ids.get(sku), { name, categoryId, status: status as PetStatus }];
  if (id === undefined) {
    const added = await store.pets.create(wanted, { idempotencyKey: `sync-${sku}` });
    appendFileSync(`${file}.ids`, `${sku},${added.id}\n`);
    return "added";
  }
  const pet = pets.get(id);
  if (pet && pet.name === name && pet.categoryId === categoryId && pet.status === status) return "unchanged";
  await store.pets.update(id, wanted);
  return "changed";
}
