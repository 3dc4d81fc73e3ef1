import { orderTag } from "../../domain/stock/order.ts";
import { operation } from "../declare/operation.ts";
import { placingFault } from "../faults/faults.ts";
import {
  ORDER,
  ORDER_PLACEMENT,
  ORDERS_TAG,
  orderJson,
  PLACED_EXAMPLE,
  WITH_REFERENCE_EXAMPLE,
} from "../wire/order.ts";

export const placeOrder = operation({
  name: "placeOrder",
  method: "POST",
  path: "/store/orders",
  tag: ORDERS_TAG,
  scope: "orders:write",
  summary: "Place an order",
  description:
    "Orders an animal that is available, which makes it pending. Of several orders for the same animal, exactly one succeeds.",
  parameters: {},
  body: ORDER_PLACEMENT,
  idempotency: true,
  success: {
    status: 201,
    description: "The order, with its id.",
    schema: ORDER,
    examples: { placed: PLACED_EXAMPLE, withReference: WITH_REFERENCE_EXAMPLE },
    headers: ["Location"],
  },
  faults: [placingFault({ kind: "no_such_animal" }), placingFault({ kind: "not_available", status: "pending" })],
  perform: ({ body: { petId, reference }, idempotencyKey, caller }, { orders, clock }) =>
    orders.place({ animalId: petId, reference, keyId: caller?.key.id, nowMs: clock.nowMs() }, idempotencyKey),
  render: (order, { publicUrl }) => ({
    body: orderJson(order),
    tag: orderTag(order),
    headers: { Location: `${publicUrl}/store/orders/${order.id}` },
  }),
  refuse: placingFault,
});
