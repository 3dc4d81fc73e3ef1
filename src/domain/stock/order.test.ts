import { expect, test } from "bun:test";
import { ANIMAL_STATUSES } from "./animal.ts";
import {
  decideOrderUpdate,
  ORDER_STATUSES,
  type Order,
  placedOrder,
  refusalToPlace,
  transitionsFrom,
  transitionsTo,
} from "./order.ts";

const order: Order = { id: 1n, ...placedOrder({ animalId: 42n, nowMs: 1000 }) };

test("an order moves placed → approved → delivered, or is cancelled before it is delivered", () => {
  const made = ORDER_STATUSES.flatMap((from) =>
    ORDER_STATUSES.flatMap((to) => {
      const decision = decideOrderUpdate({ ...order, status: from }, { orderId: 1n, to, nowMs: 2000 });
      expect(decision.kind === "done").toBe(transitionsFrom(from).includes(to));
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
  expect(decideOrderUpdate(order, { orderId: 1n, to: "approved", nowMs: 2000 })).toEqual({
    kind: "done",
    value: { order: { ...order, status: "approved", updatedAtMs: 2000 }, animalStatus: "pending" },
  });
});

test("a clock that was set back makes no order updated before it was placed, or earlier than before", () => {
  const moved = (to: "approved" | "delivered", from: typeof order, nowMs: number) => {
    const decision = decideOrderUpdate(from, { orderId: 1n, to, nowMs });
    if (decision.kind === "refused") throw new Error(decision.reason.kind);
    return decision.value.order;
  };
  const approved = moved("approved", { ...order, placedAtMs: 1000, updatedAtMs: 1000 }, 400);
  expect(approved.updatedAtMs).toBe(1000);
  expect(moved("delivered", { ...approved, updatedAtMs: 3000 }, 2000).updatedAtMs).toBe(3000);
});

test("a move that cannot be made says why", () => {
  expect(decideOrderUpdate(undefined, { orderId: 1n, to: "approved", nowMs: 0 })).toEqual({
    kind: "refused",
    reason: { kind: "no_such_order" },
  });
  expect(decideOrderUpdate(order, { orderId: 1n, to: "delivered", nowMs: 0 })).toEqual({
    kind: "refused",
    reason: { kind: "invalid_transition", from: "placed", to: "delivered" },
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

test("the moves that lead to a status are those that the rule makes, at whatever time unless the clock was set back", () => {
  for (const to of ORDER_STATUSES)
    for (const from of ORDER_STATUSES)
      for (const nowMs of [order.updatedAtMs, order.updatedAtMs + 1]) {
        const decision = decideOrderUpdate({ ...order, status: from }, { orderId: 1n, to, nowMs });
        const move = transitionsTo(to).find((move) => move.from === from);
        expect(decision.kind === "done" ? decision.value : undefined).toEqual(
          move && { order: { ...order, status: to, updatedAtMs: nowMs }, animalStatus: move.animalStatus },
        );
      }
});
