import type { Animal } from "../../domain/animal.ts";
import { animalBatches } from "../animal-batches.ts";
import { type AnimalListName, animalCount, animalLists } from "../lists.ts";
import { CHANGES_NO_SCHEMA } from "../migrate.ts";
import type { AnimalSnapshot } from "../store.ts";
import { attempt } from "./attempt.ts";
import { closeNow } from "./close.ts";
import { LOCK_TIMEOUTS, openShared, preparePath } from "./database.ts";
import { SQLITE } from "./dialect.ts";
import { preparedSet } from "./statements.ts";

/** Opens a snapshot of the animals in a file, whether a service runs on it or not. Fails with an OperatorError. */
export async function openAnimalSnapshot(givenPath: string): Promise<AnimalSnapshot> {
  const path = await preparePath(givenPath, { create: false });
  const db = await openShared(path, LOCK_TIMEOUTS, CHANGES_NO_SCHEMA);
  db.run("PRAGMA query_only = ON");
  db.run("BEGIN");
  // The first read decides which moment is seen.
  db.query("SELECT 1 FROM animals LIMIT 1").get();
  const lists = preparedSet<AnimalListName, Animal>(db, animalLists(SQLITE));
  return {
    count(filter) {
      const { sql, parameters } = animalCount(filter, SQLITE);
      return Number((attempt(() => db.query(sql).get(...parameters)) as { count: bigint }).count);
    },
    batches: (filter) =>
      animalBatches(({ name, parameters }) => attempt(() => lists[name]().all(...parameters)), filter, SQLITE),
    whileOpen: `its log, ${path}-wal, grows with everything that is written`,
    close: () => closeNow(db),
  };
}
