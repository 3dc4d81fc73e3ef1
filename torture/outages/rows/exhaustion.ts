import { SQL } from "bun";
import { Client } from "../../workload/client.ts";
import type { Row, Scene } from "../row.ts";
import { setStage } from "../stage.ts";
import { underLoad } from "../under-load.ts";

const MAX_CONNECTIONS = 20;
const WANTED_BY_EACH = 10;

/** Takes connections until none is left. Returns a function that gives them back. */
async function takeAll(database: string): Promise<() => Promise<void>> {
  const taken: SQL[] = [];
  for (;;) {
    const sql = new SQL(database, { max: 1, connectionTimeout: 2 });
    try {
      await sql`SELECT 1`;
      taken.push(sql);
    } catch {
      await sql.close({ timeout: 0 });
      return async () => void (await Promise.all(taken.map((each) => each.close({ timeout: 0 }))));
    }
  }
}

/** Instances that get fewer connections than they want must work with those, and refuse no request for it. */
async function exhaust(scene: Scene): Promise<void> {
  const { board, effort } = scene;
  const { postgres, database, instances } = await setStage(scene, {
    postgres: { settings: { max_connections: String(MAX_CONNECTIONS) } },
    env: { DATABASE_CONNECTIONS: String(WANTED_BY_EACH) },
  });
  const { secret } = instances;
  for (const { origin } of instances.services)
    await new Client(origin, secret).send({ method: "GET", target: "/pets" });
  const giveBack = await takeAll(database);
  await underLoad(scene, { instances, database: () => database, exposures: 1 }, async () => {
    await Bun.sleep(effort.times * 400);
    const refused = board.of("503");
    board.check(refused === 0, `${refused} of ${board.of("requests")} requests were refused`);
    await giveBack();
    await Bun.sleep(500);
  });
  await postgres.stop();
}

export const EXHAUSTION: readonly Row[] = [{ name: "PostgreSQL out of connections", play: exhaust }];
