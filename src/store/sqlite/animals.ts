import type { Animal } from "../../domain/animal.ts";
import { cutPage, type Listed } from "../../domain/page.ts";
import { done } from "../../domain/result.ts";
import { type AnimalListName, animalListing, animalLists } from "../lists.ts";
import { SELECT_ANIMAL } from "../rows.ts";
import type { AnimalStore } from "../store.ts";
import { attempt } from "./attempt.ts";
import { SQLITE } from "./dialect.ts";
import { type Connection, prepared, preparedSet } from "./statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteAnimals(connection: Connection, writes: Writes): AnimalStore {
  const lists = preparedSet<AnimalListName, Listed<Animal>>(connection, animalLists(SQLITE));
  const get = prepared<Animal, [bigint]>(connection, `${SELECT_ANIMAL} WHERE id = ?`);

  return {
    list(query) {
      const { name, parameters } = animalListing(query, SQLITE);
      return cutPage(
        attempt(() => lists[name]().all(...parameters)),
        query.size,
      );
    },
    get: (id) => attempt(() => get().get(id)) ?? undefined,
    async create(animal, idempotencyKey) {
      const result = await writes.perform("createAnimal", animal, idempotencyKey);
      return result.kind === "done" ? done({ id: result.value, ...animal }) : result;
    },
    update: (correction, idempotencyKey) => writes.perform("correctAnimal", correction, idempotencyKey),
    delete: (removal, idempotencyKey) => writes.perform("removeAnimal", removal, idempotencyKey),
  };
}
