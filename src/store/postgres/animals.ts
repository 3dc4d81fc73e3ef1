import type { Animal } from "../../domain/animal.ts";
import { cutPage } from "../../domain/page.ts";
import { type AnimalListName, animalListing, animalLists } from "../lists.ts";
import { SELECT_ANIMAL } from "../rows.ts";
import type { AnimalStore } from "../store.ts";
import { Batches } from "./batches.ts";
import { onceOnlyCreations, plainCreations } from "./creations.ts";
import type { Pool } from "./database.ts";
import { POSTGRES, runListing } from "./dialect.ts";
import type { CarryOut } from "./idempotency.ts";

const GET = `${SELECT_ANIMAL} WHERE id = $1`;
export const GET_SEVERAL = `${SELECT_ANIMAL} WHERE ${POSTGRES.idIsOneOf("$1")}`;

const MAX_GETS = 100;

export function postgresAnimals(pool: Pool, carryOut: CarryOut): AnimalStore {
  const lists = animalLists(POSTGRES);
  const gets = new Batches<bigint, Animal | undefined>({
    maxSize: MAX_GETS,
    maxInProgress: Number.POSITIVE_INFINITY,
    run: async (ids) => {
      if (ids.length === 1) return pool.read<Animal>(GET, ids);
      const found = await pool.read<Animal>(GET_SEVERAL, [POSTGRES.idList(ids)]);
      const byId = new Map(found.map((animal) => [animal.id, animal]));
      return ids.map((id) => byId.get(id));
    },
  });
  const creations = plainCreations(pool);
  const onceOnly = onceOnlyCreations(pool);

  return {
    async list(query) {
      const rows = await runListing<AnimalListName, Animal>(pool, lists, animalListing(query, POSTGRES));
      return cutPage(rows, query.size);
    },
    get: (id) => gets.add(id),
    create: (animal, key) =>
      carryOut({ attempt: () => (key ? onceOnly.add({ animal, key }) : creations.add(animal)) }, key),
  };
}
