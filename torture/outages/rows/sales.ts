import { withSql } from "../../../test/harness/servers/postgres.ts";
import { type Outcome, saysNothingChanged } from "../../workload/client.ts";
import { type Mix, OF_ORDERS } from "../../workload/load.ts";
import { FIGURES, type Row, type Scene } from "../row.ts";
import { setStage } from "../stage.ts";
import { underLoad, Watch } from "../under-load.ts";

const BUYERS = 24;
const idIn = (outcome: Outcome): string | undefined =>
  outcome.kind === "answered" ? /^\{"id":(\d+),/.exec(outcome.body)?.[1] : undefined;

async function readOrders(database: string, animalId: string): Promise<readonly { id: string }[]> {
  return withSql(database, (sql) => sql`SELECT id::text FROM orders WHERE animal_id = ${animalId}::bigint`);
}

/** Many clients order one animal while instances are killed: one gets it, and is told so unless its instance died. */
async function sellOnce(scene: Scene): Promise<void> {
  const { board, random, effort } = scene;
  const { postgres, database, instances } = await setStage(scene);
  const watch = new Watch(instances, scene);
  const sell = async (i: number): Promise<void> => {
    const made = await watch.send({ method: "POST", target: "/pets", body: `{"name":"for sale ${i}","categoryId":1}` });
    const animalId = idIn(made);
    if (animalId === undefined) return;
    board.count(FIGURES.acknowledged);
    const order = { method: "POST", target: "/store/orders", body: `{"petId":${animalId}}` } as const;
    const answers = await Promise.all(
      Array.from({ length: BUYERS }, (_, buyer) =>
        watch.send(buyer % 2 === 0 ? order : { ...order, idempotencyKey: `sale ${i}, buyer ${buyer}` }),
      ),
    );
    const winners = answers.filter((answer) => answer.kind === "answered" && answer.status === 201);
    const certain = answers.every(
      (answer) => answer.kind === "answered" && (answer.status !== 503 || saysNothingChanged(answer.body)),
    );
    if (winners.length === 0) winners.push(await watch.send(order));
    const orders = await readOrders(database, animalId);
    board.count("sales");
    board.check(winners.length <= 1, () => `animal ${animalId} was sold to ${winners.length}`);
    board.check(
      orders.length === 1 || (orders.length === 0 && !certain),
      () => `animal ${animalId} has ${orders.length} orders`,
    );
    const told = winners.map(idIn).filter((id) => id !== undefined);
    board.check(
      told.every((id) => orders.some((found) => found.id === id)),
      () => `order ${told} is not there`,
    );
    board.count(FIGURES.acknowledged, told.length);
  };
  let isOver = false;
  const killing = (async () => {
    for (let kills = 0; !isOver; kills++) {
      await Bun.sleep(random.int(50, 300));
      await instances.replace(kills % instances.count);
      board.count("kill -9");
    }
  })();
  for (let i = 0; i < effort.times * 10; i++) await sell(i);
  isOver = true;
  await killing;
  board.count(FIGURES.wrong, board.violations.length - board.of(FIGURES.ended));
  board.count(FIGURES.exposed, board.of("kill -9"));
  await instances.end();
  await postgres.stop();
}

/** Kills instances under a mixed load. */
async function killUnderLoad(scene: Scene): Promise<void> {
  const { board, random, effort } = scene;
  const { postgres, database, instances } = await setStage(scene);
  const mix: Mix = {
    ...OF_ORDERS,
    ...{ creations: 0.2, mistakes: 0.02, reads: 0.05, repeats: 0.1, races: 0.3 },
    ...{ updates: 0.1, deletions: 0.03, named: 0.7 },
  };
  await underLoad(scene, { instances, mix, database: () => database, exposures: effort.times }, async () => {
    for (let kills = 0; kills < effort.times * 2; kills++) {
      await Bun.sleep(random.int(50, 400));
      await instances.replace(kills % instances.count);
      board.count("kill -9");
    }
  });
  await postgres.stop();
}

export const SALES: readonly Row[] = [
  { name: "24 orders at once for one animal, instances killed", play: sellOnce },
  { name: "instances killed, one after another", play: killUnderLoad },
];
