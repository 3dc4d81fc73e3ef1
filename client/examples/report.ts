// Counts the animals of a store by category and status, over all pages, and prints them separated by tabs.
// Usage: node report.ts > report.tsv
// Runs as it is on Node 22.18 and newer, on Bun and on Deno.

import { AnimalStore, type Int64, type PetStatus } from "animal-store-client";

const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

const store = new AnimalStore({ userAgent: "report/1.0" });
const names = new Map<Int64, string>();
for await (const { id, name } of store.categories.list()) names.set(id, name);

const counts = new Map<Int64, Map<PetStatus, number>>();
for await (const { categoryId, status } of store.pets.list()) {
  const ofCategory = counts.get(categoryId) ?? new Map<PetStatus, number>();
  counts.set(categoryId, ofCategory.set(status, (ofCategory.get(status) ?? 0) + 1));
}

console.log(["category", "name", ...STATUSES].join("\t"));
// Strings are not compared as numbers: "10" would come before "9".
const inOrder = [...counts].sort(([a], [b]) => Number(BigInt(a) - BigInt(b)));
for (const [id, ofCategory] of inOrder) {
  const cells = STATUSES.map((status) => ofCategory.get(status) ?? 0);
  console.log([id, names.get(id) ?? "", ...cells].join("\t"));
}
