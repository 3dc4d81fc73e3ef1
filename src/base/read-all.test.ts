import { expect, test } from "bun:test";
import { pagesOf, readAll } from "./read-all.ts";

const read = async (rows: readonly string[], size: number) => {
  const asked: string[] = [];
  const all = await readAll(
    size,
    (page) => {
      asked.push(page.afterId);
      return rows.filter((row) => row > page.afterId).slice(0, page.size);
    },
    (row) => row,
  );
  return { all, asked };
};

test("all rows are read, each page after the last row of the one before", async () => {
  expect(await read(["a", "b", "c", "d", "e"], 2)).toEqual({ all: ["a", "b", "c", "d", "e"], asked: ["", "b", "d"] });
  expect(await read(["a", "b"], 2)).toEqual({ all: ["a", "b"], asked: ["", "b"] });
  expect(await read([], 2)).toEqual({ all: [], asked: [""] });
});

test("other work gets its turn between two pages", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("other"));
  await readAll(
    1,
    ({ afterId }) => {
      order.push(`after ${afterId}`);
      return afterId === "" ? ["a"] : [];
    },
    (row) => row,
  );
  expect(order).toEqual(["after ", "other", "after a"]);
});

test("a page that is full is followed by another, and one without rows is not yielded", async () => {
  const pages: (readonly number[])[] = [];
  for await (const page of pagesOf<number>(2, async (last) => (last === undefined ? [1, 2] : []))) pages.push(page);
  expect(pages).toEqual([[1, 2]]);
});
