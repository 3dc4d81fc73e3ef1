import { expect, test } from "bun:test";
import { BackgroundTasks } from "./background.ts";
import { NameIndexing } from "./name-indexing.ts";

/** An index that says after each slice whether there is more, or fails. */
function indexingOf(...outcomes: readonly (boolean | Promise<boolean> | Error)[]) {
  const failures: unknown[] = [];
  const background = new BackgroundTasks({ report: (_, error) => void failures.push(error) });
  let slices = 0;
  const nameIndex = {
    async extend(): Promise<boolean> {
      const outcome = outcomes[slices++] ?? false;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  const onFailure = (error: unknown) => void failures.push(error);
  const indexing = new NameIndexing({ nameIndex, run: background.run.bind(background), onFailure });
  return { indexing, background, failures, sliceCount: () => slices };
}

async function settled(background: BackgroundTasks): Promise<void> {
  while (!background.isIdle) await Bun.sleep(1);
}

test("a search waits for one slice; the rest is indexed in the background, once for all searches", async () => {
  const second = Promise.withResolvers<boolean>();
  const { indexing, background, sliceCount } = indexingOf(true, second.promise, true, false, false);
  await Promise.all([indexing.extend(), indexing.extend()]);
  await indexing.extend();
  expect(sliceCount()).toBe(2);
  second.resolve(true);
  await settled(background);
  expect(sliceCount()).toBe(4);
  await indexing.extend();
  expect(sliceCount()).toBe(5);
  expect(background.isIdle).toBe(true);
});

test("a failure is reported and fails no search, and the next search tries again", async () => {
  const full = new Error("the disk is full");
  const { indexing, background, failures, sliceCount } = indexingOf(full, true, full, true, false);
  await indexing.extend();
  expect(failures).toEqual([full]);
  await indexing.extend();
  await settled(background);
  expect(failures).toEqual([full, full]);
  await indexing.extend();
  await settled(background);
  expect(sliceCount()).toBe(5);
});

test("it stops with the console's thread", async () => {
  const { indexing, background, sliceCount } = indexingOf(...Array.from({ length: 1_000 }, () => true));
  await indexing.extend();
  await background.stop();
  const before = sliceCount();
  expect(before).toBeLessThan(1_000);
  await Bun.sleep(5);
  expect(sliceCount()).toBe(before);
});
