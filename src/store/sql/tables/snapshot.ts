import { pagesOf } from "../../../base/read-all.ts";
import type { Awaitable } from "../../../base/time/awaitable.ts";
import type { Listed } from "../../../domain/page.ts";
import type { Animal } from "../../../domain/stock/animal.ts";
import type { AnimalSnapshot } from "../../ports/store.ts";
import { animalListing, animalLists, countAnimals } from "../lists.ts";
import type { Dialect } from "../searches.ts";
import { run, type Work } from "../work.ts";

const BATCH_SIZE = 2_000;

/** The reads of a snapshot, which use the statements and indexes of the lists. */
export function snapshotReads(
  dialect: Dialect,
  perform: <Value>(work: Work<Value>) => Awaitable<Value>,
): Pick<AnimalSnapshot, "count" | "batches"> {
  const lists = animalLists(dialect);
  return {
    count: (filter) => perform(countAnimals(filter, dialect)),
    batches: (selection) =>
      pagesOf(BATCH_SIZE, (after?: Listed<Animal>) => {
        const { name, parameters } = animalListing({ ...selection, after, size: BATCH_SIZE }, dialect, BATCH_SIZE);
        return perform(run<Listed<Animal>>(lists[name], parameters));
      }),
  };
}
