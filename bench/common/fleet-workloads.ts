// The workloads and the filled database that both comparisons of a fleet share.

import { withSql } from "../../test/harness/servers/postgres.ts";
import { OUR_COLUMNS, ourAnimalColumns, type Request } from "./tools.ts";
import { anyAnimals, anyPages, CREATE, getPet, LIST, mixedRequests } from "./workloads.ts";

export const ANIMALS = 100_000;
export const CONNECTIONS = 64;
const NEW_KEY_FOR_EACH = "*";

/** A workload, and the share of the embedded store's rate that an instance of the fleet must reach. */
export interface FleetWorkload {
  readonly name: string;
  readonly requests: Request[];
  readonly target?: number;
}

export const FLEET_WORKLOADS: readonly FleetWorkload[] = [
  { name: "mix", requests: mixedRequests(ANIMALS) },
  // The embedded store answers these two from its reply cache.
  { name: "first page", requests: [LIST], target: 0.4 },
  { name: "get, one animal", requests: [getPet(4242)], target: 0.5 },
  { name: "get, any animal", requests: anyAnimals(ANIMALS), target: 0.5 },
  { name: "any page", requests: anyPages(ANIMALS) },
  { name: "create", requests: [CREATE], target: 0.5 },
  { name: "create, idempotent", requests: [{ ...CREATE, idempotencyKey: NEW_KEY_FOR_EACH }], target: 0.5 },
];

export async function fillPostgres(database: string): Promise<void> {
  await withSql(database, async (sql) => {
    await sql.unsafe(
      `INSERT INTO animals (${OUR_COLUMNS}) SELECT ${ourAnimalColumns("i")} FROM generate_series(1, ${ANIMALS}) i`,
    );
    await sql.unsafe("VACUUM ANALYZE animals");
  });
}
