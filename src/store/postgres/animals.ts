import type { Animal } from "../../domain/animal.ts";
import { cutPage } from "../../domain/page.ts";
import { ANIMAL_COLUMNS, type AnimalListName, animalListing, animalLists } from "../lists.ts";
import type { AnimalStore } from "../store.ts";
import type { Pool } from "./database.ts";
import { POSTGRES, runListing } from "./dialect.ts";
import type { WriteOnce } from "./once.ts";

export function postgresAnimals(pool: Pool, writeOnce: WriteOnce): AnimalStore {
  const lists = animalLists(POSTGRES);
  const columns = pool.sql.unsafe(ANIMAL_COLUMNS);

  return {
    async list(query) {
      const rows = await runListing<AnimalListName, Animal>(pool, lists, animalListing(query, POSTGRES));
      return cutPage(rows, query.size);
    },

    create: (animal, once) =>
      writeOnce(
        once,
        async (sql) => {
          const [row] = await sql<{ id: bigint }[]>`INSERT INTO animals (name, category_id, status)
            VALUES (${animal.name}, ${animal.categoryId}, ${animal.status}) RETURNING id`;
          return { id: (row as { id: bigint }).id, ...animal };
        },
        ({ id }) => id,
      ),

    async get(id) {
      const [animal] = await pool.read((sql) => sql<Animal[]>`SELECT ${columns} FROM animals WHERE id = ${id}`);
      return animal;
    },
  };
}
