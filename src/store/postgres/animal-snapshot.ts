import { type AnimalSnapshot, StoreUnavailable } from "../ports/store.ts";
import { CHANGES_NO_SCHEMA } from "../schema/migrate.ts";
import { snapshotReads } from "../sql/tables/snapshot.ts";
import type { Connection } from "./connections/connection.ts";
import { PLANNING, POSTGRES } from "./connections/dialect.ts";
import type { WatchOptions } from "./connections/watch.ts";
import { watchedSession } from "./connections/watched-session.ts";
import { perform } from "./connections/work.ts";
import { openOnSchema } from "./migrate.ts";

/** Opens a snapshot of the animals in a database. Its locks block nobody. Fails with an OperatorError. */
export async function openAnimalSnapshot(url: string, limits?: WatchOptions): Promise<AnimalSnapshot> {
  const session = await watchedSession(await openOnSchema(url, { rules: CHANGES_NO_SCHEMA }), url, limits);
  const run: Connection["run"] = (sql, parameters) =>
    session.run<never>(sql, parameters).catch((error: Error) => {
      throw new StoreUnavailable(error.message, { cause: error });
    });
  await beginSnapshot(session);
  return {
    ...snapshotReads(POSTGRES, (work) => perform(run, work)),
    close: () => session.close(),
  };
}

/** Fixes the moment that the session sees. Behind a pooler, the settings of the role apply. */
export async function beginSnapshot(session: Connection): Promise<void> {
  await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  const settings = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, ...PLANNING };
  await session.run(
    Object.entries(settings)
      .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
      .join("; "),
  );
  await session.run("SELECT 1 FROM animals LIMIT 1");
}
