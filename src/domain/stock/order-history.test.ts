import { expect, test } from "bun:test";
import { ORDER_STATUSES, type Order, type OrderStatus, placedOrder } from "./order.ts";
import { type OrderMove, objectionToMoves, stepsOf } from "./order-history.ts";

const order = (status: OrderStatus): Order => ({
  id: 1n,
  ...placedOrder({ animalId: 2n, nowMs: 100 }),
  status,
  updatedAtMs: 900,
});
const [DESK, SHOP] = [{ by: "Anna", via: "console" }, { keyId: "key_shop" }] as const;
const move = (from: OrderStatus, to: OrderStatus, atMs: number): OrderMove => ({ from, to, atMs, by: DESK });
const NOT_RECORDED = { atMs: undefined, by: undefined };
const PLACED = { status: "placed", atMs: 100, by: SHOP };

test("a history has the placing and every recorded move", () => {
  const moves = [move("placed", "approved", 200), move("approved", "delivered", 900)];
  expect(stepsOf({ order: order("delivered"), placedBy: "key_shop", moves })).toEqual([
    PLACED as never,
    { status: "approved", atMs: 200, by: DESK },
    { status: "delivered", atMs: 900, by: DESK },
  ]);
});

test("what release 1.1.0 has done is not recorded, except for the times of the placing and of the last move", () => {
  const steps = (status: OrderStatus, ...moves: OrderMove[]) =>
    stepsOf({ order: order(status), placedBy: undefined, moves });
  const placed = { status: "placed", atMs: 100, by: undefined } as const;
  expect(steps("placed")).toEqual([placed]);
  expect(steps("cancelled")).toEqual([placed, { status: "cancelled", atMs: 900, by: undefined }]);
  expect(steps("delivered")).toEqual([
    placed,
    { status: "approved", ...NOT_RECORDED },
    { status: "delivered", atMs: 900, by: undefined },
  ]);
  // It has made only the first move, or only the last one.
  expect(steps("delivered", move("approved", "delivered", 900))).toEqual([
    placed,
    { status: "approved", ...NOT_RECORDED },
    { status: "delivered", atMs: 900, by: DESK },
  ]);
  expect(steps("cancelled", move("placed", "approved", 200))).toEqual([
    placed,
    { status: "approved", atMs: 200, by: DESK },
    { status: "cancelled", atMs: 900, by: undefined },
  ]);
});

test("only moves that the rule makes can have been made", () => {
  const possible = ORDER_STATUSES.flatMap((from) =>
    ORDER_STATUSES.filter((to) => objectionToMoves([move(from, to, 1)]) === undefined).map((to) => [from, to]),
  );
  expect(possible).toHaveLength(4);
  expect(objectionToMoves([move("delivered", "placed", 1)])).toBe("an order cannot move from delivered to placed");
  expect(objectionToMoves([{ ...move("placed", "approved", 1), from: "sold" as never }])).toBeDefined();
});
