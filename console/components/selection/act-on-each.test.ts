import { expect, test } from "bun:test";
import { Failure } from "../../api.ts";
import { actOnEach } from "./act-on-each.ts";

const ROWS = Array.from({ length: 12 }, (_, i) => i);
const never = new AbortController().signal;
const ignore = (): void => {};

test("each row is sent once, four at a time, and the progress is told", async () => {
  const sent: number[] = [];
  const progress: number[] = [];
  let [underWay, most] = [0, 0];
  const outcome = await actOnEach(
    ROWS,
    async (row) => {
      sent.push(row);
      most = Math.max(most, ++underWay);
      await Bun.sleep(0);
      underWay--;
    },
    { signal: never, onProgress: (finished) => progress.push(finished) },
  );
  expect(outcome).toEqual({ done: ROWS, refused: [], left: [] });
  expect([sent, most, progress]).toEqual([ROWS, 4, ROWS.map((row) => row + 1)]);
});

test("a refusal keeps no other row from being sent, and comes with its reason, in the order of the rows", async () => {
  const send = async (row: number): Promise<void> => {
    // The first is answered last.
    for (let turn = 0; turn < 12 - row; turn++) await Promise.resolve();
    if (row % 5 === 0) throw new Failure(409, "in_order", `Row ${row} is in an order.`);
  };
  const { done, refused, left } = await actOnEach(ROWS, send, { signal: never, onProgress: ignore });
  expect(refused).toEqual([0, 5, 10].map((row) => ({ row, reason: `Row ${row} is in an order.` })));
  expect([done, left]).toEqual([ROWS.filter((row) => row % 5 !== 0), []]);
});

test("once it is stopped, what is under way is finished, and nothing more is begun", async () => {
  const stopping = new AbortController();
  const outcome = await actOnEach(
    ROWS,
    async (row) => {
      if (row === 5) stopping.abort();
      await Bun.sleep(0);
    },
    { signal: stopping.signal, onProgress: ignore },
  );
  expect([...outcome.done, ...outcome.left]).toEqual(ROWS);
  expect(outcome.done).toContain(5);
  expect(outcome.left.length).toBeGreaterThan(3);
});

test.each([0, 401, 403, 503])(
  "after a failure with status %p, which all others would share, nothing is begun",
  async (status) => {
    const send = async (row: number): Promise<void> => {
      if (row === 0) throw new Failure(status, "away", "Nobody answers.");
      await Bun.sleep(0);
    };
    const { done, refused, left } = await actOnEach(ROWS, send, { signal: never, onProgress: ignore });
    expect([done, left]).toEqual([[1, 2, 3], ROWS.slice(4)]);
    expect(refused).toEqual([{ row: 0, reason: "Nobody answers." }]);
  },
);
