import type { Database } from "bun:sqlite";
import type { Animal } from "../../domain/animal.ts";
import { INT64_MIN } from "../../domain/int64.ts";
import { cutPage } from "../../domain/page.ts";
import type { AnimalStore } from "../store.ts";
import { attempt, patiently } from "./database.ts";

const COLUMNS = "id, name, category_id AS categoryId, status";

export function sqliteAnimals(db: Database): AnimalStore {
  const list = db.prepare<Animal, [bigint, number]>(`SELECT ${COLUMNS} FROM animals WHERE id > ? ORDER BY id LIMIT ?`);
  const listByStatus = db.prepare<Animal, [string, bigint, number]>(
    `SELECT ${COLUMNS} FROM animals WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const get = db.prepare<Animal, [bigint]>(`SELECT ${COLUMNS} FROM animals WHERE id = ?`);
  const insert = db.prepare("INSERT INTO animals (name, category_id, status) VALUES (?, ?, ?)");

  return {
    list({ status, afterId = INT64_MIN, size }) {
      const rows = attempt(() =>
        status === undefined ? list.all(afterId, size + 1) : listByStatus.all(status, afterId, size + 1),
      );
      return cutPage(rows, size);
    },

    // run() and not get() with RETURNING: only run() steps to the end, where a failed commit shows.
    async create(animal) {
      const { lastInsertRowid } = await patiently(() => insert.run(animal.name, animal.categoryId, animal.status));
      return { id: BigInt(lastInsertRowid), ...animal };
    },

    get: (id) => attempt(() => get.get(id)) ?? undefined,
  };
}
