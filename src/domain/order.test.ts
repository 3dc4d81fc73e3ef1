import { expect, test } from "bun:test";
import { animalStatusAfter, movesFrom, ORDER_STATUSES } from "./order.ts";

test("an order moves placed → approved → delivered, or is cancelled before it is delivered", () => {
  const moves = ORDER_STATUSES.flatMap((from) => movesFrom(from).map((to) => [from, to, animalStatusAfter(from, to)]));
  expect(moves).toEqual([
    ["placed", "approved", "pending"],
    ["placed", "cancelled", "available"],
    ["approved", "delivered", "sold"],
    ["approved", "cancelled", "available"],
  ]);
});
