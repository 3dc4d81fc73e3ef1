import { orderTag } from "../../domain/stock/order.ts";
import { foundOr, operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { ORDER_NOT_FOUND } from "../faults/faults.ts";
import { ORDER, ORDERS_TAG, orderJson, PLACED_EXAMPLE, WITH_REFERENCE_EXAMPLE } from "../wire/order.ts";

export const getOrder = operation({
  name: "getOrder",
  method: "GET",
  path: "/store/orders/{orderId}",
  tag: ORDERS_TAG,
  scope: "orders:read",
  summary: "Get an order",
  description: "What the `Location` of a placed order names.",
  parameters: { orderId: idInPath("The order's id.", 7, ORDER_NOT_FOUND) },
  success: {
    status: 200,
    description: "The order.",
    schema: ORDER,
    examples: { found: PLACED_EXAMPLE, withReference: WITH_REFERENCE_EXAMPLE },
  },
  perform: ({ parameters: { orderId } }, { orders }) => foundOr(ORDER_NOT_FOUND, orders.get(orderId)),
  render: (order) => ({ body: orderJson(order), tag: orderTag(order), survivesAdditions: true }),
});
