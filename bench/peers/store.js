import { readFileSync } from "node:fs";
import Database from "better-sqlite3";

const SCHEMA = readFileSync(new URL("schema.sql", import.meta.url), "utf8");
const COLUMNS = "id, name, category_id AS categoryId, status";

/** Opens the animals in a SQLite file. Statements are prepared once; a creation is on disk when it returns. */
export function openStore(path) {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(SCHEMA);

  const all = db.prepare(`SELECT ${COLUMNS} FROM animals WHERE id > ? ORDER BY id LIMIT ?`);
  const byStatus = db.prepare(`SELECT ${COLUMNS} FROM animals WHERE status = ? AND id > ? ORDER BY id LIMIT ?`);
  const byId = db.prepare(`SELECT ${COLUMNS} FROM animals WHERE id = ?`);
  const insert = db.prepare("INSERT INTO animals (name, category_id, status) VALUES (?, ?, ?)");

  return {
    /** A page by ascending id; `next` is the cursor of the next page, if there is one. */
    list({ status, cursor = 0, limit }) {
      const rows = status === undefined ? all.all(cursor, limit + 1) : byStatus.all(status, cursor, limit + 1);
      if (rows.length <= limit) return { rows };
      rows.pop();
      return { rows, next: rows[limit - 1].id };
    },
    get: (id) => byId.get(id),
    create({ name, categoryId, status = "available" }) {
      const { lastInsertRowid } = insert.run(name, categoryId, status);
      return { id: lastInsertRowid, name, categoryId, status };
    },
    close: () => db.close(),
  };
}
