import { expect, test } from "bun:test";
import { ANIMAL_STATUSES } from "./animal.ts";
import { decideMove, movesFrom, ORDER_STATUSES, type Order, placedOrder, refusalToPlace } from "./order.ts";

const order: Order = { id: 1n, ...placedOrder({ animalId: 42n, nowMs: 1000 }) };

test("an order moves placed → approved → delivered, or is cancelled before it is delivered", () => {
  const made = ORDER_STATUSES.flatMap((from) =>
    ORDER_STATUSES.flatMap((to) => {
      const decision = decideMove({ ...order, status: from }, { orderId: 1n, to, nowMs: 2000 });
      expect(decision.kind === "done").toBe(movesFrom(from).includes(to));
      return decision.kind === "done" ? [[from, to, decision.value.animalStatus]] : [];
    }),
  );
  expect(made).toEqual([
    ["placed", "approved", "pending"],
    ["placed", "cancelled", "available"],
    ["approved", "delivered", "sold"],
    ["approved", "cancelled", "available"],
  ]);
});

test("a move changes the status and the time of the update, and nothing else", () => {
  expect(decideMove(order, { orderId: 1n, to: "approved", nowMs: 2000 })).toEqual({
    kind: "done",
    value: { order: { ...order, status: "approved", updatedAtMs: 2000 }, animalStatus: "pending" },
  });
});

test("a move that cannot be made says why", () => {
  expect(decideMove(undefined, { orderId: 1n, to: "approved", nowMs: 0 })).toEqual({
    kind: "refused",
    reason: { kind: "no_such_order" },
  });
  expect(decideMove(order, { orderId: 1n, to: "delivered", nowMs: 0 })).toEqual({
    kind: "refused",
    reason: { kind: "invalid_move", from: "placed", to: "delivered" },
  });
});

test("only an available animal can be ordered", () => {
  expect(ANIMAL_STATUSES.map(refusalToPlace)).toEqual([
    undefined,
    { kind: "not_available", status: "pending" },
    { kind: "not_available", status: "sold" },
  ]);
  expect(refusalToPlace(undefined)).toEqual({ kind: "no_such_animal" });
});
