import { expect, test } from "bun:test";
import { freePort } from "../../../../test/harness/servers/port.ts";
import { Watch } from "./watch.ts";

test("a transaction is given up together with the statement in it that gets no answer", async () => {
  const watch = new Watch(`postgres://nobody@127.0.0.1:${await freePort()}/none`, {
    answerTimeoutMs: 1_000,
    lookIntervalMs: 500,
  });
  const never = new Promise<never>(() => {});
  const order: string[] = [];
  const transaction = watch.during(never, () => true).catch((error: Error) => void order.push(error.message));
  await watch.during(never).catch((error: Error) => void order.push(error.message));
  await Bun.sleep(0);
  order.push("a turn later");
  await transaction;
  const noAnswer = expect.stringContaining("no answer from 127.0.0.1");
  expect(order).toEqual([noAnswer, noAnswer, "a turn later"]);
});
