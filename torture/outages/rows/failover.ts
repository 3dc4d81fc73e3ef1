import type { TestPostgres } from "../../../test/harness/servers/postgres.ts";
import type { TestProxy } from "../../../test/harness/servers/proxy.ts";
import { type Mix, OF_ALL, OF_ORDERS } from "../../workload/load.ts";
import type { Row, Scene } from "../row.ts";
import { setStage } from "../stage.ts";
import { underLoad } from "../under-load.ts";

/** The way in which a primary is lost, and what its clients notice. */
type Loss = (primary: TestPostgres, wire: TestProxy) => Promise<void>;

const crashes: Loss = async (primary, wire) => {
  wire.newConnections = "closed";
  await primary.crash();
};

/** Nothing tells clients that their connections are dead. */
const losesPower: Loss = async (primary, wire) => {
  wire.newConnections = "swallowed";
  wire.silence();
  await primary.crash();
};

/** A planned switchover: open connections stay open, and refuse writes. */
const becomesReadOnly: Loss = async (primary) => {
  await primary.admin(async (sql) => {
    await sql`ALTER SYSTEM SET default_transaction_read_only = on`;
    await sql`SELECT pg_reload_conf()`;
  });
  // Wait for transactions that began before.
  await Bun.sleep(300);
};

/** Fails over to another server behind the same address, again and again. */
async function failOver(scene: Scene, lose: Loss, mix: Mix = OF_ALL): Promise<void> {
  const { effort, random } = scene;
  const { postgres: first, database, wire, instances } = await setStage(scene);
  const servers = [first];
  const current = (): TestPostgres => servers.at(-1) as TestPostgres;
  const address = (): string => Object.assign(new URL(database), { port: String(current().port) }).href;
  const times = Math.ceil(effort.times / 4);
  await underLoad(scene, { instances, mix, database: address, exposures: times }, async (watch) => {
    for (let i = 0; i < times; i++) {
      // Commits wait until the new standby has caught up.
      watch.down();
      const standby = await current().startStandby();
      await Bun.sleep(random.int(300, 800));
      await lose(current(), wire);
      await standby.promote();
      servers.push(standby);
      wire.targetPort = standby.port;
      wire.newConnections = "carried";
      watch.back();
      await Bun.sleep(5_000);
    }
  });
  for (const server of servers) await server.stop("immediate");
}

/**
 * For a few seconds, an instance may trust what it reads from the old server (test/fleet/read-only.test.ts). So this row has only creations,
 * which depend on no reads, and their repetitions.
 */
const CREATIONS_AND_REPEATS: Mix = { ...OF_ORDERS, creations: 0.75, repeats: 0.25, named: 0.7 };

export const FAILOVERS: readonly Row[] = [
  { name: "failover to a standby: the primary crashes", play: (scene) => failOver(scene, crashes) },
  { name: "failover to a standby: the primary loses power", play: (scene) => failOver(scene, losesPower) },
  {
    name: "failover to a standby: the primary turns read-only",
    play: (scene) => failOver(scene, becomesReadOnly, CREATIONS_AND_REPEATS),
  },
];
