import { type PoolMode, TestPgbouncer } from "../../../test/harness/servers/pgbouncer.ts";
import { TestPostgres, withSql } from "../../../test/harness/servers/postgres.ts";
import type { Mix } from "../../workload/load.ts";
import { Instances } from "../instances.ts";
import type { Row, Scene } from "../row.ts";
import { ANIMALS, IDEMPOTENT, TRANSITIONS, underLoad } from "../under-load.ts";
import { restartRepeatedly } from "./restarts.ts";

/** Settings that connections normally make themselves, which PgBouncer would refuse. */
const TIMEOUTS = { statement_timeout: "1500", lock_timeout: "1000", idle_in_transaction_session_timeout: "5000" };

/** Restarts PostgreSQL and PgBouncer in turn. */
async function play(scene: Scene, mode: PoolMode, mix: Mix): Promise<void> {
  const { board, effort, random } = scene;
  const postgres = await TestPostgres.start();
  const database = await postgres.database();
  const name = new URL(database).pathname.slice(1);
  await withSql(database, async (sql) => {
    for (const [setting, value] of Object.entries(TIMEOUTS))
      await sql.unsafe(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
  });
  const bouncer = await TestPgbouncer.start(database, mode);
  const env = { DATABASE_URL: `${bouncer.url}?pgbouncer=true` };
  const instances = await Instances.start(board, { count: effort.instances, env, database });
  let restarts = 0;
  await underLoad(scene, { instances, mix, database: () => database, exposures: effort.times }, (watch) =>
    restartRepeatedly(scene, watch, async (how) => {
      if (restarts++ % 4 === 3) {
        await bouncer.stop();
        await Bun.sleep(random.int(0, 300));
        await bouncer.start();
        return;
      }
      await postgres.stop(how);
      await Bun.sleep(random.int(0, 300));
      await postgres.start();
      await bouncer.whenReady();
    }),
  );
  await bouncer.stop();
  await postgres.stop();
}

const row = (mode: PoolMode, load: string, mix: Mix): Row => ({
  name: `PgBouncer, ${mode} mode, both restarted: ${load}`,
  needs: "pgbouncer",
  play: (scene) => play(scene, mode, mix),
});

export const POOLER: readonly Row[] = [
  row("transaction", "idempotent writes", IDEMPOTENT),
  row("transaction", "order moves", TRANSITIONS),
  row("transaction", "updates and deletions", ANIMALS),
  row("session", "idempotent writes", IDEMPOTENT),
  row("session", "order moves", TRANSITIONS),
];
