import { Database } from "bun:sqlite";

type Options = Exclude<ConstructorParameters<typeof Database>[1], number>;

/** Opens a file that a service may be writing to: whoever finds it locked waits, as our own connections do. */
export function openDatabaseFile(path: string, options?: Options): Database {
  const db = new Database(path, options);
  db.run("PRAGMA busy_timeout = 10000");
  return db;
}
