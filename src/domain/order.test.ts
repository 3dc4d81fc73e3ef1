import { expect, test } from "bun:test";
import { animalStatusAfter, isOpen, movesFrom, ORDER_STATUSES } from "./order.ts";

test("an order moves placed → approved → delivered, or is cancelled before it is delivered", () => {
  const moves = ORDER_STATUSES.flatMap((from) => movesFrom(from).map((to) => [from, to, animalStatusAfter(from, to)]));
  expect(moves).toEqual([
    ["placed", "approved", "pending"],
    ["placed", "cancelled", "available"],
    ["approved", "delivered", "sold"],
    ["approved", "cancelled", "available"],
  ]);
});

test("an order is open while it can still move, and the animal is pending just as long", () => {
  expect(ORDER_STATUSES.filter(isOpen)).toEqual(["placed", "approved"]);
  for (const from of ORDER_STATUSES)
    for (const to of movesFrom(from)) expect(animalStatusAfter(from, to) === "pending").toBe(isOpen(to));
});
