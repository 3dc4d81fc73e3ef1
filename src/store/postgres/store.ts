import { sharedRuns } from "../../base/time/shared-runs.ts";
import { nextTurn } from "../../base/time/turn.ts";
import type { ServingStore, Store } from "../ports/store.ts";
import { CHANGES_NO_SCHEMA, MIGRATES, ONLY_CREATES } from "../schema/migrate.ts";
import { categoryWork } from "../sql/tables/categories.ts";
import { journalReads } from "../sql/tables/journal.ts";
import { metadataWork } from "../sql/tables/metadata.ts";
import { sessionWork } from "../sql/tables/sessions.ts";
import { instanceWork } from "../sql/tables/usage.ts";
import { COPIES_TABLE, SELECT_UNFINISHED_COPY, unfinishedCopy } from "../sql/transfer.ts";
import { POSTGRES } from "./connections/dialect.ts";
import { Follower, READ_ONLY_MODE } from "./connections/follower.ts";
import { reading, transacting, writing } from "./connections/work.ts";
import { openPool, type Pool } from "./database.ts";
import type { SchemaOptions } from "./migrate.ts";
import { postgresAnimals } from "./tables/animals.ts";
import { postgresCounts } from "./tables/counts.ts";
import { transactingOnce } from "./tables/idempotency.ts";
import { postgresImports } from "./tables/imports.ts";
import { postgresKeys } from "./tables/keys.ts";
import { postgresMaintenance } from "./tables/maintenance.ts";
import { postgresNameIndex } from "./tables/name-index.ts";
import { postgresOrders } from "./tables/orders.ts";
import { postgresTallies } from "./tables/tallies.ts";
import { postgresUsage } from "./tables/usage.ts";

const CATEGORIES = categoryWork(POSTGRES);
const INSTANCES = instanceWork(POSTGRES);
const METADATA = metadataWork(POSTGRES);
const SESSIONS = sessionWork(POSTGRES);

/** The plain data that another thread opens a database with: its share of the connections. */
export interface PostgresHandle {
  readonly kind: "postgres";
  readonly url: string;
  readonly connections: number;
  readonly deadlineMs: number | undefined;
  /** There is no port to transfer. */
  readonly port?: undefined;
}

export interface PostgresServingOptions extends Partial<SchemaOptions> {
  /** The connections of all threads together. */
  readonly connections: number;
  /** The threads that will serve, which divide the connections. */
  readonly threads?: number;
  /** The time after which a statement has failed. */
  readonly deadlineMs?: number | undefined;
}

/** Opens a store in a PostgreSQL database, which any number of processes may share. Fails with an OperatorError. */
export async function openForServing(
  url: string,
  { connections, threads = 1, deadlineMs, ...schema }: PostgresServingOptions,
): Promise<ServingStore<PostgresHandle>> {
  const share = Math.max(1, Math.floor(connections / threads));
  const store = await openStore(url, connections - share * (threads - 1), schema, deadlineMs);
  return { ...store, newHandle: () => ({ kind: "postgres", url, connections: share, deadlineMs }) };
}

/** Opens the store of another thread. The first thread has migrated the schema. */
export const openHandle = ({ url, connections, deadlineMs }: PostgresHandle): Promise<Store> =>
  openStore(url, connections, { rules: CHANGES_NO_SCHEMA }, deadlineMs);

async function openStore(
  url: string,
  connections: number,
  { rules = MIGRATES, onProgress }: Partial<SchemaOptions>,
  deadlineMs?: number,
): Promise<Store> {
  const pool = await openPool(url, connections, { rules, onProgress }, deadlineMs);
  let isReadOnly = await refuseUnfinishedCopy(pool).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  const follower = new Follower(pool, isReadOnly);
  /** An instance polls both twice a second, and every second at rest: who polls at once shares a statement. */
  const poll = sharedRuns(async () => (await pool.read<Seen>(POLL))[0] as Seen, 0, nextTurn);
  return {
    animals: postgresAnimals(pool),
    nameIndex: postgresNameIndex(pool),
    categories: { ...reading(pool, CATEGORIES.reads), ...transactingOnce(pool, CATEGORIES.changes) },
    orders: postgresOrders(pool),
    keys: { ...postgresKeys(pool), revision: async () => Number((await poll()).revision) },
    tallies: postgresTallies(pool),
    metadata: { ...reading(pool, METADATA.reads), ...writing(pool, METADATA.writes) },
    usage: postgresUsage(pool),
    instances: { ...reading(pool, INSTANCES.reads), ...writing(pool, INSTANCES.writes) },
    imports: postgresImports(pool),
    journal: reading(pool, journalReads(POSTGRES)),
    counts: postgresCounts(pool),
    sessions: {
      ...reading(pool, SESSIONS.reads),
      ...writing(pool, SESSIONS.writes),
      ...transacting(pool, SESSIONS.changes),
    },
    maintenance: postgresMaintenance(pool),
    // A version would cost a round trip for each reply.
    version: () => undefined,
    // Nothing runs in the background: every failure has a caller.
    onProblem: () => {},
    isReadOnly: () => isReadOnly,
    async check() {
      const { mode } = await poll();
      isReadOnly = mode === "on";
      follower.noteMode(isReadOnly);
    },
    async close() {
      await follower.close();
      await pool.close();
    },
  };
}

/** Opens a store for a command. Fails with an OperatorError, also for an empty database unless `create` is set. */
export const openForCommand = (url: string, { create } = { create: false }): Promise<Store> =>
  openStore(url, 1, { rules: create ? ONLY_CREATES : CHANGES_NO_SCHEMA });

const POLL = `SELECT ${READ_ONLY_MODE}, (SELECT revision FROM key_revision), (SELECT 1 FROM animals LIMIT 1) AS animal`;

interface Seen {
  readonly mode: string;
  readonly revision: string | null;
}

/** Refuses the target of an unfinished copy: it would assign ids twice. Returns whether the database is read-only. */
async function refuseUnfinishedCopy(pool: Pool): Promise<boolean> {
  const [found] = await pool.read<{ copies: string | null; mode: string }>(
    `SELECT to_regclass('${COPIES_TABLE}') AS copies, ${READ_ONLY_MODE}`,
  );
  const unfinished = found?.copies ? await pool.read(SELECT_UNFINISHED_COPY) : [];
  if (unfinished.length > 0) throw unfinishedCopy();
  return found?.mode === "on";
}
