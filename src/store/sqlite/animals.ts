import type { Database } from "bun:sqlite";
import { ANIMAL_STATUSES, type Animal } from "../../domain/animal.ts";
import { INT64_MIN } from "../../domain/int64.ts";
import { cutPage } from "../../domain/page.ts";
import type { AnimalQuery, AnimalStore } from "../store.ts";
import { attempt } from "./database.ts";
import { pageOf, pageOfAnyStatus } from "./lists.ts";
import type { WriteOnce } from "./once.ts";

const COLUMNS = "id, name, category_id AS categoryId, status";

// The unary plus keeps the planner off the other indexes: a few ids are looked up, nothing else.
export const BY_IDS = `SELECT ${COLUMNS} FROM animals WHERE id IN (SELECT value FROM json_each(?1))
  AND (?2 IS NULL OR +status = ?2) AND (?3 IS NULL OR +category_id = ?3) AND id > ?4 ORDER BY id LIMIT ?5`;

export function sqliteAnimals(db: Database, writeOnce: WriteOnce): AnimalStore {
  const all = db.prepare<Animal, [bigint, number]>(pageOf(COLUMNS, "animals"));
  const byStatus = db.prepare<Animal, [string, bigint, number]>(pageOf(COLUMNS, "animals", "status = ?"));
  const byCategory = db.prepare<Animal, [bigint, bigint, number]>(
    pageOfAnyStatus(COLUMNS, "animals", "category_id", ANIMAL_STATUSES),
  );
  const byBoth = db.prepare<Animal, [bigint, string, bigint, number]>(
    pageOf(COLUMNS, "animals", "category_id = ?", "status = ?"),
  );
  const byIds = db.prepare<Animal, [string, string | null, bigint | null, bigint, number]>(BY_IDS);
  const get = db.prepare<Animal, [bigint]>(`SELECT ${COLUMNS} FROM animals WHERE id = ?`);
  const insert = db.prepare("INSERT INTO animals (name, category_id, status) VALUES (?, ?, ?)");

  const rows = ({ ids, status, categoryId, afterId = INT64_MIN, size }: AnimalQuery): Animal[] => {
    if (ids) return byIds.all(`[${ids.join(",")}]`, status ?? null, categoryId ?? null, afterId, size + 1);
    if (categoryId === undefined)
      return status === undefined ? all.all(afterId, size + 1) : byStatus.all(status, afterId, size + 1);
    return status === undefined
      ? byCategory.all(categoryId, afterId, size + 1)
      : byBoth.all(categoryId, status, afterId, size + 1);
  };

  return {
    list: (query) =>
      cutPage(
        attempt(() => rows(query)),
        query.size,
      ),

    // run() and not get() with RETURNING: only run() steps to the end, where a failed commit shows.
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
