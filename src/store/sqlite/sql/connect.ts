import { Database } from "bun:sqlite";

/** Opens a connection, on which a schema that somebody has prepared can call no function with side effects. */
export function connect(path: string, options: ConstructorParameters<typeof Database>[1]): Database {
  const db = new Database(path, options);
  db.run("PRAGMA trusted_schema = OFF");
  return db;
}
