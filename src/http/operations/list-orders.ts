import { done } from "../../base/result.ts";
import { andThen } from "../../base/time/awaitable.ts";
import { jsonPageOf } from "../../domain/page.ts";
import { ORDER_STATUSES, REFERENCE_MAX_CODE_POINTS } from "../../domain/stock/order.ts";
import { operation } from "../declare/operation.ts";
import { clashOf, clashOfCursor, PAGE_PARAMETERS, pageSuccess, renderPage, sortParameter } from "../declare/paging.ts";
import { choiceParameter, int64Parameter, type ParameterValues, textParameter } from "../declare/parameters.ts";
import type { Fault } from "../faults/fault.ts";
import { ORDER_STATUS, ORDERS, ORDERS_TAG, orderJson, PLACED_EXAMPLE } from "../wire/order.ts";

const parameters = {
  ...PAGE_PARAMETERS,
  status: choiceParameter("Return only orders with this status.", ORDER_STATUSES, ORDER_STATUS),
  petId: int64Parameter("Return only orders for this animal. Not together with `reference`.", 42),
  sort: sortParameter,
  reference: textParameter(
    "Return only orders that were placed with exactly this reference. Goes with `status` and `sort`, but not with `petId`.",
    "2026-0815",
    REFERENCE_MAX_CODE_POINTS,
  ),
};

/** No index serves both: all orders of the animal, or all with the reference, would have to be searched. */
const clashIn = (values: Partial<ParameterValues<typeof parameters>>): Fault | undefined =>
  clashOf("reference", ["petId"], values) ?? clashOfCursor(values.cursor, undefined);

export const listOrders = operation({
  name: "listOrders",
  method: "GET",
  path: "/store/orders",
  tag: ORDERS_TAG,
  scope: "orders:read",
  summary: "List orders",
  description: "Orders by ascending id, or as `sort` says, one page at a time, with the same paging as for animals.",
  parameters,
  success: pageSuccess(ORDERS, "A page of orders.", [PLACED_EXAMPLE]),
  faults: [clashIn({ reference: "2026-0815", petId: 42n }) as Fault],
  sampleQuery: "status=placed",
  perform({ parameters: values }, { orders }) {
    const clash = clashIn(values);
    if (clash) return clash;
    const { limit: size, cursor: after, status, petId: animalId, sort, reference } = values;
    const page = orders.list({ size, after, status, animalId, sort, reference });
    return andThen(page, (rows) => done(jsonPageOf(rows, orderJson)));
  },
  render: renderPage("/store/orders", parameters, () => true),
});
