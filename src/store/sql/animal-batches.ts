import { pagesOf } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Listed } from "../../domain/page.ts";
import type { Animal } from "../../domain/stock/animal.ts";
import type { AnimalSelection } from "../ports/store.ts";
import { type AnimalListName, animalListing, type Listing } from "./lists.ts";
import type { Dialect } from "./searches.ts";

const BATCH_SIZE = 2_000;

/** All animals that are selected, page after page, by the statements and indexes of the lists. */
export const animalBatches = (
  run: (listing: Listing<AnimalListName>) => Awaitable<readonly Listed<Animal>[]>,
  selection: AnimalSelection,
  dialect: Dialect,
): AsyncGenerator<readonly Animal[]> =>
  pagesOf(BATCH_SIZE, (after?: Listed<Animal>) =>
    run(animalListing({ ...selection, after, size: BATCH_SIZE }, dialect, BATCH_SIZE)),
  );
