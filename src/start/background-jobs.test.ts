import { expect, test } from "bun:test";
import { join } from "node:path";
import { FakeClock } from "../../test/harness/clock.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, steadyClock } from "../domain/clock.ts";
import { newKey } from "../domain/key.ts";
import { PLANS } from "../domain/plan.ts";
import { openForCommand } from "../store/sqlite/store.ts";
import { deleteExpiredResponses } from "./background-jobs.ts";

test("saved responses are deleted after a day, and not because the clock is ahead for a moment", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  await store.keys.create({ key, digest: "d" });
  const clock = new FakeClock();
  const steady = steadyClock(clock);
  const create = async () => {
    const idempotencyKey = { keyId: key.id, value: "v", fingerprint: "f", nowMs: steady.nowMs() };
    return (await store.animals.create({ name: "Rex", categoryId: 7n, status: "sold" }, idempotencyKey)).kind;
  };
  expect(await create()).toBe("done");
  clock.jump(25 * HOUR_MS);
  await deleteExpiredResponses(store, steady);
  clock.jump(-25 * HOUR_MS);
  expect(await create()).toBe("replay");
  clock.advance(DAY_MS - MINUTE_MS);
  await deleteExpiredResponses(store, steady);
  expect(await create()).toBe("replay");
  clock.advance(MINUTE_MS);
  await deleteExpiredResponses(store, steady);
  expect(await create()).toBe("done");
  await store.close();
});

test("a start while the clock is ahead deletes nothing: once the clock is right again, retries are answered as before", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  await store.keys.create({ key, digest: "d" });
  const clock = new FakeClock();
  const create = async () => {
    const idempotencyKey = { keyId: key.id, value: "v", fingerprint: "f", nowMs: clock.nowMs() };
    return (await store.animals.create({ name: "Rex", categoryId: 7n, status: "sold" }, idempotencyKey)).kind;
  };
  expect(await create()).toBe("done");
  clock.jump(25 * HOUR_MS);
  const steady = steadyClock(clock);
  for (let minute = 0; minute < 120; minute++) {
    if (minute === 50) clock.jump(-25 * HOUR_MS);
    await deleteExpiredResponses(store, steady);
    clock.advance(MINUTE_MS);
  }
  expect(await create()).toBe("replay");
  await store.close();
});
