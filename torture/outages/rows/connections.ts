import type { Row, Scene } from "../row.ts";
import { setStage } from "../stage.ts";
import { underLoad } from "../under-load.ts";

const TERMINATE_SOME = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name LIKE 'animal-store%' AND random() < 0.3`;

/** Longer than any timeout within the service. */
const DEAD_MS = 4_000;

/** Terminates connections, as an administrator does, or a server that is short of memory. */
async function terminate(scene: Scene): Promise<void> {
  const { random, effort } = scene;
  const { postgres, database, instances } = await setStage(scene);
  await underLoad(scene, { instances, database: () => database, exposures: 10 * effort.times }, async (watch) => {
    watch.down();
    for (let i = 0; i < 10 * effort.times; i++) {
      await Bun.sleep(random.int(10, 150));
      const ended = await postgres.admin((sql) => sql.unsafe(TERMINATE_SOME));
      scene.board.count("backends terminated", ended.length);
    }
    watch.back();
    await Bun.sleep(1_000);
  });
  await postgres.stop();
}

/** Cuts the server's responses short: a partial one must not be taken for an answer, to this query or another. */
async function cutAnswers(scene: Scene): Promise<void> {
  const { board, random, effort } = scene;
  const { postgres, database, wire, instances } = await setStage(scene);
  await underLoad(scene, { instances, database: () => database, exposures: 1 }, async (watch) => {
    watch.down();
    wire.cutAnswer = (piece) => {
      if (!random.chance(0.01)) return undefined;
      board.count("answers cut");
      return random.int(0, piece.length);
    };
    await Bun.sleep(effort.times * 800);
    wire.cutAnswer = undefined;
    watch.back();
    await Bun.sleep(1_000);
  });
  await postgres.stop();
}

async function freeze(scene: Scene): Promise<void> {
  const { effort } = scene;
  const { postgres, database, instances } = await setStage(scene);
  await underLoad(scene, { instances, database: () => database, exposures: 2 }, async (watch) => {
    for (const forMs of [effort.frozenMs, effort.frozenMs / 4]) {
      await Bun.sleep(500);
      watch.down();
      postgres.pause();
      await Bun.sleep(forMs);
      postgres.resume();
      watch.back();
      await Bun.sleep(2_000);
    }
  });
  await postgres.stop();
}

/** Simulates a host that loses power: it falls silent, first on existing connections, then on new ones, too. */
async function goDead(scene: Scene): Promise<void> {
  const { effort, random } = scene;
  const { postgres, database, wire, instances } = await setStage(scene);
  const times = Math.ceil(effort.times / 4);
  await underLoad(scene, { instances, database: () => database, exposures: 2 * times }, async (watch) => {
    for (let i = 0; i < 2 * times; i++) {
      await Bun.sleep(random.int(200, 500));
      watch.down();
      const isWholeHost = i % 2 === 1;
      if (isWholeHost) wire.newConnections = "swallowed";
      wire.silence();
      if (isWholeHost) await Bun.sleep(DEAD_MS);
      wire.newConnections = "carried";
      watch.back();
      await Bun.sleep(DEAD_MS);
    }
  });
  await postgres.stop();
}

export const CONNECTIONS: readonly Row[] = [
  { name: "PostgreSQL's backends terminated at random", play: terminate },
  { name: "connections cut in the middle of an answer", play: cutAnswers },
  { name: "PostgreSQL frozen for 14 s", play: freeze },
  { name: "connections that go dead without a word", play: goDead },
];
