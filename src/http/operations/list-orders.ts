import { andThen } from "../../domain/awaitable.ts";
import { ORDER_STATUSES } from "../../domain/order.ts";
import { done } from "../../domain/result.ts";
import { operation, refuseNothing } from "../operation.ts";
import { arrayJson, linkToNext, PAGE_PARAMETERS } from "../paging.ts";
import { choiceParameter, int64Parameter } from "../parameters.ts";
import { ORDER_STATUS, ORDERS, ORDERS_TAG, orderJson, PLACED_EXAMPLE } from "../wire/order.ts";

const parameters = {
  ...PAGE_PARAMETERS,
  status: choiceParameter("Return only orders with this status.", ORDER_STATUSES, ORDER_STATUS),
  petId: int64Parameter("Return only orders for this animal.", 42),
};

export const listOrders = operation({
  name: "listOrders",
  method: "GET",
  path: "/store/orders",
  tag: ORDERS_TAG,
  summary: "List orders",
  description: "Orders by ascending id, one page at a time, with the same paging as for animals.",
  parameters,
  success: {
    status: 200,
    description: "A page of orders.",
    schema: ORDERS,
    examples: { page: [PLACED_EXAMPLE], empty: [] },
    optionalHeaders: ["Link"],
  },
  faults: [],
  sampleQuery: "status=placed",
  perform: ({ parameters: { limit, cursor, status, petId } }, { orders }) =>
    andThen(orders.list({ size: limit, afterId: cursor, status, animalId: petId }), done),
  render: (page, { publicUrl }, call) => ({
    body: arrayJson(page.rows, orderJson),
    headers: linkToNext(page, `${publicUrl}/store/orders`, parameters, call.parameters),
  }),
  refuse: refuseNothing,
});
