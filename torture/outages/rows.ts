import type { Row } from "./row.ts";
import { CONNECTIONS } from "./rows/connections.ts";
import { EXHAUSTION } from "./rows/exhaustion.ts";
import { FAILOVERS } from "./rows/failover.ts";
import { POOLER } from "./rows/pooler.ts";
import { REDIS } from "./rows/redis.ts";
import { RESTARTS } from "./rows/restarts.ts";
import { SALES } from "./rows/sales.ts";
import { STARTS } from "./rows/starts.ts";

/** All rows of a run, in order. */
export const ROWS: readonly Row[] = [
  ...RESTARTS,
  ...CONNECTIONS,
  ...FAILOVERS,
  ...POOLER,
  ...STARTS,
  ...EXHAUSTION,
  ...SALES,
  ...REDIS,
];

export function rowNamed(name: string): Row {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`there is no row ${name}`);
  return row;
}
