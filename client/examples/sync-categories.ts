// Names categories after a CSV file. A second run changes only what differs.
// Usage: node sync-categories.ts categories.csv   (lines such as 7,Dogs)
// Runs as it is on Node 22.18 and newer, on Bun and on Deno.

import { readFileSync } from "node:fs";
import { AnimalStore, AnimalStoreError, type Int64 } from "animal-store-client";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("Usage: sync-categories FILE");
  process.exit(2);
}

const store = new AnimalStore({ userAgent: "sync-categories/1.0" });
const current = new Map<Int64, string>();
for await (const { id, name } of store.categories.list({ limit: 100 })) current.set(id, name);

const lines = readFileSync(file, "utf8").split(/\r?\n/);
for (const [index, line] of lines.entries()) {
  if (line.trim() === "") continue;
  const [, id, name] = /^\s*(-?\d+)\s*,\s*(.*?)\s*$/.exec(line) ?? [];
  if (id === undefined || name === undefined) fail(index, "expected a number, a comma and a name");
  else await give(index, id, name);
}

async function give(index: number, id: Int64, name: string): Promise<void> {
  const before = current.get(id);
  if (before === name) return;
  try {
    await store.categories.put(id, { name });
    console.log(before === undefined ? `${id} is now ${name}` : `${id} was ${before}, and is now ${name}`);
  } catch (error) {
    // A bad line, such as a name that another category has, does not stop the lines after it.
    if (!(error instanceof AnimalStoreError || error instanceof TypeError)) throw error;
    if (error instanceof AnimalStoreError && ![400, 409].includes(error.status ?? 0)) throw error;
    fail(index, error.message);
  }
}

function fail(index: number, reason: string): void {
  console.error(`${file}:${index + 1}: ${reason}`);
  process.exitCode = 1;
}
