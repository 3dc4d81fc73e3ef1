import { expect, test } from "bun:test";
import type { NameIndex } from "../../store/ports/store.ts";
import { BackgroundTasks } from "./background.ts";
import { NameIndexing } from "./name-indexing.ts";

/** An index of as many animals as there are slices, each of which says whether there is more, or fails. */
function indexingOf(...outcomes: readonly (boolean | Promise<boolean> | Error)[]) {
  const failures: unknown[] = [];
  const background = new BackgroundTasks({ report: (_, error) => void failures.push(error) });
  const lastId = BigInt(outcomes.length);
  let slices = 0;
  const nameIndex: NameIndex = {
    progress: () => ({ upToId: BigInt(slices), lastId }),
    async extend() {
      const outcome = outcomes[slices++] ?? false;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    drop: async () => {},
    search: () => ({ rows: [], more: false }),
  };
  const onFailure = (error: unknown) => void failures.push(error);
  const indexing = new NameIndexing({ isOn: true, nameIndex, run: background.run.bind(background), onFailure });
  return { indexing, background, failures, sliceCount: () => slices };
}

async function settled(background: BackgroundTasks): Promise<void> {
  while (!background.isIdle) await Bun.sleep(1);
}

test("searches wait for one slice, all for the same; the rest is indexed in the background, once", async () => {
  const first = Promise.withResolvers<boolean>();
  const third = Promise.withResolvers<boolean>();
  const { indexing, background, sliceCount } = indexingOf(first.promise, true, third.promise, true, false);
  const both = Promise.all([indexing.prepare(), indexing.prepare()]);
  await Bun.sleep(1);
  expect(sliceCount()).toBe(1);
  first.resolve(true);
  expect(await both).toMatchObject([{ isComplete: false }, { isComplete: false }]);
  while (sliceCount() < 3) await Bun.sleep(1);
  expect(await indexing.prepare()).toEqual({ upToId: 3n, lastId: 5n, isComplete: false, hasFailed: false });
  expect(sliceCount()).toBe(3);
  third.resolve(true);
  await settled(background);
  expect(await indexing.prepare()).toEqual({ upToId: 5n, lastId: 5n, isComplete: true, hasFailed: false });
  expect(sliceCount()).toBe(5);
  expect(background.isIdle).toBe(true);
});

test("a failure is reported, also to who searches, and the next search tries again", async () => {
  const full = new Error("the disk is full");
  const { indexing, background, failures, sliceCount } = indexingOf(full, true, full, true, false);
  expect(await indexing.prepare()).toMatchObject({ isComplete: false, hasFailed: true });
  expect(failures).toEqual([full]);
  await indexing.prepare();
  await settled(background);
  expect(failures).toEqual([full, full]);
  await indexing.prepare();
  await settled(background);
  expect(await indexing.prepare()).toMatchObject({ isComplete: true, hasFailed: false });
  expect(sliceCount()).toBe(5);
});

test("it stops with the console's thread", async () => {
  const { indexing, background, sliceCount } = indexingOf(...Array.from({ length: 1_000 }, () => true));
  await indexing.prepare();
  await background.stop();
  const before = sliceCount();
  expect(before).toBeLessThan(1_000);
  await Bun.sleep(5);
  expect(sliceCount()).toBe(before);
});

test("where it is switched off, or a store can have no index, nothing is indexed", async () => {
  const parts = { run() {}, onFailure() {} };
  const nameIndex: NameIndex = {
    progress: () => undefined,
    extend: () => Promise.reject(new Error("nobody has asked for it")),
    drop: async () => {},
    search: () => ({ rows: [], more: false }),
  };
  const none = new NameIndexing({ ...parts, isOn: true, nameIndex });
  const progress = () => ({ upToId: undefined, lastId: 1n });
  const off = new NameIndexing({ ...parts, isOn: false, nameIndex: { ...nameIndex, progress } });
  for (const indexing of [none, off]) {
    expect(await indexing.isPossible()).toBe(false);
    expect(await indexing.prepare()).toBeUndefined();
  }
});
