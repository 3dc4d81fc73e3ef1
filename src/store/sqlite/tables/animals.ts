import type { JsonShape } from "../../../base/json/shape.ts";
import { done } from "../../../base/result.ts";
import { cutPage, type JsonPage, jsonPageOf, type Listed, type Page } from "../../../domain/page.ts";
import type { Animal } from "../../../domain/stock/animal.ts";
import type { AnimalQuery, AnimalStore } from "../../ports/store.ts";
import { type AnimalListName, animalListing, animalLists } from "../../sql/lists.ts";
import { SELECT_ANIMAL } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, type PreparedSet, prepared, preparedSet } from "../sql/statements.ts";
import { type JsonListRow, jsonLists } from "./json-lists.ts";
import type { Writes } from "./writer.ts";

export function sqliteAnimals(connection: Connection, writes: Writes): AnimalStore {
  const lists = preparedSet<AnimalListName, Listed<Animal>>(connection, animalLists(SQLITE));
  const get = prepared<Animal, [bigint]>(connection, `${SELECT_ANIMAL} WHERE id = ?`);
  const jsonListsOf = new Map<JsonShape<Animal>, Partial<PreparedSet<AnimalListName, JsonListRow>>>();

  function list(query: AnimalQuery): Page<Listed<Animal>> {
    const { name, parameters } = animalListing(query, SQLITE);
    return cutPage(
      attempt(() => lists[name]().all(...parameters)),
      query.size,
    );
  }

  function listJson(query: AnimalQuery, shape: JsonShape<Animal>): JsonPage {
    let statements = jsonListsOf.get(shape);
    if (!statements) {
      statements = preparedSet(connection, jsonLists(shape));
      jsonListsOf.set(shape, statements);
    }
    const { name, parameters } = animalListing(query, SQLITE, query.size);
    const statement = statements[name];
    if (!statement) return jsonPageOf(list(query), shape.jsonOf);
    const { json, next } = attempt(() => statement().get(...parameters)) as JsonListRow;
    return { json, next: next === null ? undefined : { id: next } };
  }

  return {
    list,
    listJson,
    get: (id) => attempt(() => get().get(id)) ?? undefined,
    async create(animal, idempotencyKey) {
      const result = await writes.perform("createAnimal", animal, idempotencyKey);
      return result.kind === "done" ? done({ id: result.value, ...animal }) : result;
    },
    add: (addition) => writes.perform("addAnimal", addition),
    update: (correction, idempotencyKey) => writes.perform("updateAnimal", correction, idempotencyKey),
    delete: (removal, idempotencyKey) => writes.perform("deleteAnimal", removal, idempotencyKey),
  };
}
