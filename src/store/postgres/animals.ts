import type { Animal } from "../../domain/animal.ts";
import { cutPage } from "../../domain/page.ts";
import { done } from "../../domain/result.ts";
import { type AnimalListName, animalListing, animalLists } from "../lists.ts";
import { ANIMALS, insertInto, NEW_ANIMAL, newAnimalValues, SELECT_ANIMAL } from "../rows.ts";
import type { AnimalStore } from "../store.ts";
import type { Pool } from "./database.ts";
import { POSTGRES, run, runListing } from "./dialect.ts";
import type { WithIdempotency } from "./idempotency.ts";

const GET = `${SELECT_ANIMAL} WHERE id = $1`;
const INSERT = `${insertInto(ANIMALS, NEW_ANIMAL, POSTGRES.placeholder)} RETURNING id`;

export function postgresAnimals(pool: Pool, withIdempotency: WithIdempotency): AnimalStore {
  const lists = animalLists(POSTGRES);

  return {
    async list(query) {
      const rows = await runListing<AnimalListName, Animal>(pool, lists, animalListing(query, POSTGRES));
      return cutPage(rows, query.size);
    },
    async get(id) {
      const [animal] = await pool.read((sql) => run<Animal>(sql, GET, [id]));
      return animal;
    },
    create: (animal, idempotencyKey) =>
      withIdempotency(
        idempotencyKey,
        async (sql) => {
          const [row] = await run<{ id: bigint }>(sql, INSERT, newAnimalValues(animal));
          return done({ id: (row as { id: bigint }).id, ...animal });
        },
        { isOneStatement: true },
      ),
  };
}
