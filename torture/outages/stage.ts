import { type PostgresOptions, TestPostgres } from "../../test/harness/servers/postgres.ts";
import { TestProxy } from "../../test/harness/servers/proxy.ts";
import { Instances } from "./instances.ts";
import type { Scene } from "./row.ts";

export interface StageOptions {
  readonly postgres?: PostgresOptions;
  readonly env?: Record<string, string>;
}

/** Instances that reach PostgreSQL through a proxy, which can fail, too. */
export interface Stage {
  readonly postgres: TestPostgres;
  /** The database's own address, bypassing the proxy. */
  readonly database: string;
  readonly wire: TestProxy;
  readonly instances: Instances;
}

export async function setStage(
  { board, effort }: Scene,
  { postgres: options, env }: StageOptions = {},
): Promise<Stage> {
  const postgres = await TestPostgres.start(options);
  const database = await postgres.database();
  const wire = await TestProxy.start(postgres.port);
  const address = new URL(database);
  address.port = String(wire.port);
  const instances = await Instances.start(board, {
    count: effort.instances,
    env: { DATABASE_URL: address.href, ...env },
    database,
  });
  return { postgres, database, wire, instances };
}
