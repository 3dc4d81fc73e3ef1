import type { Database } from "bun:sqlite";
import type { Animal } from "../../domain/animal.ts";
import { cutPage } from "../../domain/page.ts";
import { ANIMAL_COLUMNS, type AnimalListName, animalListing, animalLists } from "../lists.ts";
import type { AnimalStore } from "../store.ts";
import { attempt } from "./database.ts";
import { SQLITE } from "./dialect.ts";
import type { RepeatOf } from "./once.ts";
import { prepared, preparedSet } from "./statements.ts";
import type { Writing } from "./writing.ts";

export function sqliteAnimals(db: Database, repeatOf: RepeatOf, writing: Writing): AnimalStore {
  const lists = preparedSet<AnimalListName, Animal>(db, animalLists(SQLITE));
  const get = prepared<Animal, [bigint]>(db, `SELECT ${ANIMAL_COLUMNS} FROM animals WHERE id = ?`);

  return {
    list(query) {
      const { name, parameters } = animalListing(query, SQLITE);
      return cutPage(
        attempt(() => lists[name]().all(...parameters)),
        query.size,
      );
    },
    async create(animal, once) {
      const written =
        repeatOf(once) ?? (await writing.perform("createAnimal", animal.name, animal.categoryId, animal.status, once));
      return written.kind === "done" ? { kind: "done", result: { id: written.result, ...animal } } : written;
    },
    get: (id) => attempt(() => get().get(id)) ?? undefined,
  };
}
