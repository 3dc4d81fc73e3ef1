import { orderTag } from "../../domain/stock/order.ts";
import { operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { ORDER_NOT_FOUND, orderUpdateFault } from "../faults/faults.ts";
import { APPROVED_EXAMPLE, ORDER, ORDER_UPDATE, ORDERS_TAG, orderJson } from "../wire/order.ts";

export const updateOrder = operation({
  name: "updateOrder",
  method: "PATCH",
  path: "/store/orders/{orderId}",
  tag: ORDERS_TAG,
  scope: "orders:write",
  summary: "Update an order",
  description:
    "A placed order can be approved, an approved one delivered, and either of them cancelled. Delivery makes the animal sold; cancellation makes it available again.",
  parameters: { orderId: idInPath("The order's id.", 7, ORDER_NOT_FOUND) },
  body: ORDER_UPDATE,
  idempotency: true,
  success: {
    status: 200,
    description: "The updated order.",
    schema: ORDER,
    examples: { approved: APPROVED_EXAMPLE },
  },
  faults: [orderUpdateFault({ kind: "invalid_transition", from: "placed", to: "delivered" })],
  perform: ({ parameters: { orderId }, body: { status }, precondition, idempotencyKey, caller }, { orders, clock }) =>
    orders.update({ orderId, to: status, keyId: caller?.key.id, nowMs: clock.nowMs(), precondition }, idempotencyKey),
  render: (order) => ({ body: orderJson(order), tag: orderTag(order) }),
  refuse: orderUpdateFault,
});
