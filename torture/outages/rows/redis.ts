import { TestProxy } from "../../../test/harness/servers/proxy.ts";
import { startRedisCluster, TestRedis } from "../../../test/harness/servers/redis.ts";
import { startWatchedRedis } from "../../../test/harness/servers/sentinel.ts";
import { expectExact, QUOTA, SENT, type Use, untilTogether, useUp } from "../quotas.ts";
import { FIGURES, type Row, type Scene } from "../row.ts";
import { type Stage, setStage } from "../stage.ts";
import { underLoad } from "../under-load.ts";

const RECOVERY_MS = 10_000;
/** Shorter than the timeout for a response that does not come. */
const WAIT_MS = 50;

const withRedis = (scene: Scene, url: string): Promise<Stage> =>
  setStage(scene, { postgres: { isVolatile: true }, env: { REDIS_URL: url, METRICS_PORT: "0" } });

async function clearStage({ instances, postgres }: Stage): Promise<void> {
  await instances.end();
  await postgres.stop();
}

/** After an outage: instances soon share exact counts again. */
async function expectRecovery(scene: Scene, stage: Stage, when: string): Promise<void> {
  const { board } = scene;
  // An instance that has sent no command since does not know of the recovery yet.
  await Bun.sleep(300);
  const ms = await untilTogether(stage, RECOVERY_MS);
  board.highest("longest time to count together again, ms", ms ?? RECOVERY_MS);
  board.check(ms !== undefined, `${when}: an instance still counts by itself after ${RECOVERY_MS} ms`);
  await expectExact(scene, stage, when);
}

/** Only the counters may notice the outage: no request is refused. */
async function failUnderLoad(scene: Scene): Promise<void> {
  const { board, random, effort } = scene;
  const redis = await TestRedis.start();
  const stage = await withRedis(scene, redis.url);
  const times = Math.ceil(effort.times / 4);
  await underLoad(scene, { ...stage, database: () => stage.database, exposures: 3 * times }, async () => {
    for (let i = 0; i < times; i++)
      for (const [how, fail] of [
        ["a restart of Redis", () => redis.stop()],
        ["Redis being away", () => redis.stop().then(() => Bun.sleep(random.int(500, 2_000)))],
        ["Redis being frozen", async () => redis.pause()],
      ] as const) {
        await fail();
        if (how === "Redis being frozen") await Bun.sleep(random.int(500, 2_000)).then(() => redis.resume());
        else await redis.start();
        await expectRecovery(scene, stage, `after ${how}`);
      }
    board.check(board.of("503") === 0, `${board.of("503")} requests were refused`);
  });
  await stage.postgres.stop();
  await redis.stop();
}

/** Fails over behind the same address. Connections to the old server, now read-only, stay open. */
async function failOver(scene: Scene): Promise<void> {
  const { board, effort } = scene;
  const master = await TestRedis.start();
  const replica = await TestRedis.start("--replicaof", "127.0.0.1", String(master.port));
  const wire = await TestProxy.start(master.port);
  const stage = await withRedis(scene, `redis://127.0.0.1:${wire.port}`);
  let [old, current] = [replica, master];
  await expectExact(scene, stage, "before a failover");
  for (let i = 0; i < Math.ceil(effort.times / 4); i++) {
    [old, current] = [current, old];
    await current.ask((client) => client.replicaof("NO", "ONE"));
    wire.targetPort = current.port;
    await old.ask((client) => client.replicaof("127.0.0.1", current.port));
    // Only a request shows that the server is read-only.
    await useUp(scene, stage);
    await expectRecovery(scene, stage, "after a failover");
    board.count(FIGURES.exposed, stage.instances.count);
  }
  await clearStage(stage);
}

async function failOverBySentinels(scene: Scene): Promise<void> {
  const { board } = scene;
  const redis = await startWatchedRedis();
  const stage = await withRedis(scene, redis.url);
  await expectExact(scene, stage, "before a failover");
  const before = await redis.masterPort();
  await redis.servers.find(({ port }) => port === before)?.stop();
  while ((await redis.masterPort()) === before) await Bun.sleep(50);
  await useUp(scene, stage);
  await expectRecovery(scene, stage, "after a failover");
  board.count(FIGURES.exposed, stage.instances.count);
  await clearStage(stage);
}

/** Loses a shard: the others' counts stay exact, and requests that it would have counted do not wait for it. */
async function loseShard(scene: Scene): Promise<void> {
  const { board } = scene;
  const nodes = await startRedisCluster();
  for (const node of nodes) await node.ask((client) => client.config("SET", "cluster-require-full-coverage", "no"));
  const stage = await withRedis(scene, nodes.map(({ url }) => url).join(","));
  await expectExact(scene, stage, "before the loss of a shard");
  await nodes[1]?.stop();
  // Often enough for each instance to notice.
  for (let i = 0; i < 4; i++) await useUp(scene, stage);
  const uses: Use[] = [];
  for (let i = 0; i < 12; i++) uses.push(await useUp(scene, stage));
  const alone = uses.filter(({ passed }) => passed === SENT);
  const together = uses.filter(({ passed }) => passed === QUOTA);
  board.count("keys counted alone", alone.length);
  board.check(
    alone.length + together.length === uses.length,
    () => `with a shard gone, keys passed ${uses.map(({ passed }) => passed)} of ${SENT}`,
  );
  board.check(together.length > 0, "with a shard gone, nobody counts together");
  const mean = (those: readonly Use[]): number => those.reduce((sum, { meanMs }) => sum + meanMs, 0) / those.length;
  board.check(alone.length > 0, "no key was one of the shard that is gone");
  board.highest("mean of a shard that is gone, ms", mean(alone));
  board.highest("mean of the other shards, ms", mean(together));
  board.check(
    mean(alone) < mean(together) + WAIT_MS,
    () =>
      `requests of a shard that is gone took ${Math.round(mean(alone))} ms, others ${Math.round(mean(together))} ms`,
  );
  await nodes[1]?.start();
  await expectRecovery(scene, stage, "after the return of a shard");
  board.count(FIGURES.exposed, stage.instances.count);
  await clearStage(stage);
}

/** Starves instances of CPU, so that responses look late without being late. */
async function starve(scene: Scene): Promise<void> {
  const { board, random, effort } = scene;
  const redis = await TestRedis.start();
  const stage = await withRedis(scene, redis.url);
  let isOver = false;
  const starving = stage.instances.services.map(async ({ child }) => {
    while (!isOver) {
      child.kill("SIGSTOP");
      await Bun.sleep(random.int(160, 300));
      child.kill("SIGCONT");
      // Long enough to send a command to Redis, and too short to read the response.
      await Bun.sleep(random.int(1, 6));
    }
  });
  for (let i = 0; i < Math.ceil(effort.times / 2); i++) await expectExact(scene, stage, "while starved");
  isOver = true;
  await Promise.all(starving);
  board.count(FIGURES.exposed, stage.instances.count);
  await clearStage(stage);
  await redis.stop();
}

export const REDIS: readonly Row[] = [
  { name: "Redis restarted, away and frozen, under load", needs: "redis-server", play: failUnderLoad },
  { name: "Redis failover that leaves connections open", needs: "redis-server", play: failOver },
  { name: "Redis failover by sentinels", needs: "redis-server", play: failOverBySentinels },
  { name: "one shard of a Redis cluster gone", needs: "redis-server", play: loseShard },
  { name: "instances starved of processor time", needs: "redis-server", play: starve },
];
