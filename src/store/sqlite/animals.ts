import type { Database } from "bun:sqlite";
import type { Animal } from "../../domain/animal.ts";
import { cutPage } from "../../domain/page.ts";
import { ANIMAL_COLUMNS, type AnimalListName, animalListing, animalLists } from "../lists.ts";
import type { AnimalStore } from "../store.ts";
import { attempt } from "./database.ts";
import { prepareAll, SQLITE } from "./dialect.ts";
import type { WriteOnce } from "./once.ts";

export function sqliteAnimals(db: Database, writeOnce: WriteOnce): AnimalStore {
  const lists = prepareAll<AnimalListName, Animal>(db, animalLists(SQLITE));
  const get = db.prepare<Animal, [bigint]>(`SELECT ${ANIMAL_COLUMNS} FROM animals WHERE id = ?`);
  const insert = db.prepare("INSERT INTO animals (name, category_id, status) VALUES (?, ?, ?)");

  return {
    list(query) {
      const { name, parameters } = animalListing(query, SQLITE);
      return cutPage(
        attempt(() => lists[name].all(...parameters)),
        query.size,
      );
    },

    create: (animal, once, answerTo) =>
      writeOnce(
        once,
        () => {
          const { lastInsertRowid } = insert.run(animal.name, animal.categoryId, animal.status);
          return { id: BigInt(lastInsertRowid), ...animal };
        },
        answerTo,
      ),

    get: (id) => attempt(() => get.get(id)) ?? undefined,
  };
}
