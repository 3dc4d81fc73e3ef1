import { andThen } from "../domain/awaitable.ts";
import type { Clock } from "../domain/clock.ts";
import { Fault } from "../domain/fault.ts";
import { parseInt64 } from "../domain/int64.ts";
import { isOrderStatus, movesFrom, newOrder, ORDER_STATUSES, type OrderStatus } from "../domain/order.ts";
import type { OrderQuery, OrderStore, PlaceResult } from "../store/store.ts";
import { readBody } from "./body.ts";
import { orderJson, orderJsonAround } from "./json.ts";
import type { KeptReplies } from "./kept.ts";
import type { Retriable } from "./once.ts";
import { type Operation, paramOf } from "./operation.ts";
import { PAGE_PARAMETERS, pageReply, readPage } from "./paging.ts";
import { int64Of, readQuery, wrongParameter } from "./query.ts";
import { reply } from "./reply.ts";

export interface OrderParts {
  readonly orders: OrderStore;
  readonly clock: Clock;
  readonly kept: KeptReplies;
  readonly retriable: Retriable;
  readonly publicUrl: string;
  readonly bodyDeadlineMs: number;
}

export function orderOperations({ orders, clock, kept, retriable, publicUrl, bodyDeadlineMs }: OrderParts) {
  const ordersUrl = `${publicUrl}/store/orders`;

  const listOrders: Operation = {
    name: "listOrders",
    handle: ({ request: { url } }) =>
      kept.answer(url, () => {
        const query = readListQuery(url);
        if (query instanceof Fault) return query;
        return andThen(orders.list(query), (page) =>
          pageReply(page, orderJson, ordersUrl, query.size, () => filterOf(query)),
        );
      }),
  };

  const placeOrder: Operation = {
    name: "placeOrder",
    async handle(call) {
      const body = await readBody(call.request, "NewOrder", bodyDeadlineMs);
      if (body instanceof Fault) return body;
      const nowMs = clock.nowMs();
      return retriable<PlaceResult>(call, {
        content: [body.petId],
        perform: (once) => orders.place(body.petId, nowMs, once),
        draft: { status: 201, body: orderJsonAround(newOrder(body.petId, nowMs)), location: `${ordersUrl}/` },
        idIn: (result) => (result.kind === "placed" ? result.order.id : placeFault(result)),
      });
    },
  };

  const updateOrder: Operation = {
    name: "updateOrder",
    async handle({ request }) {
      const id = parseInt64(paramOf(request, "orderId"));
      if (id === undefined) return NO_SUCH_ORDER;
      const body = await readBody(request, "OrderUpdate", bodyDeadlineMs);
      if (body instanceof Fault) return body;
      const result = await orders.move(id, body.status, clock.nowMs());
      if (result.kind === "moved") return reply(200, orderJson(result.order));
      return result.kind === "forbidden" ? moveFault(result.from, body.status) : NO_SUCH_ORDER;
    },
  };

  return { listOrders, placeOrder, updateOrder };
}

export const NO_SUCH_ORDER = new Fault(
  "order_not_found",
  "There is no order with this id. Find ids with GET /store/orders.",
);

export function placeFault(result: Exclude<PlaceResult, { kind: "placed" }>): Fault {
  if (result.kind === "no_such_animal")
    return new Fault(
      "invalid_value",
      '"petId" names no animal that there is. Find ids with GET /pets?status=available.',
    );
  return new Fault(
    "pet_not_available",
    `This animal is ${result.status}, and only an available one can be ordered. Choose another with GET /pets?status=available.`,
  );
}

export function moveFault(from: OrderStatus, to: OrderStatus): Fault {
  const moves = movesFrom(from);
  const remedy = moves.length === 0 ? "It is final." : `It can become ${moves.join(" or ")}.`;
  return new Fault("invalid_transition", `This order is ${from} and cannot become ${to}. ${remedy}`);
}

const LIST_PARAMETERS = { ...PAGE_PARAMETERS, status: 1, petId: 1 } as const;

const WRONG_STATUS = wrongParameter("status", `one of ${ORDER_STATUSES.join(", ")}`);
const WRONG_PET = wrongParameter("petId", "an integer of 64 bits, such as petId=42");

function readListQuery(url: string): OrderQuery | Fault {
  const query = readQuery(url, LIST_PARAMETERS);
  if (query instanceof Fault) return query;
  const page = readPage(query.limit?.[0], query.cursor?.[0]);
  if (page instanceof Fault) return page;
  const status = query.status?.[0];
  if (status !== undefined && !isOrderStatus(status)) return WRONG_STATUS;
  const animalId = int64Of(query.petId, WRONG_PET);
  if (animalId instanceof Fault) return animalId;
  return { ...page, status, animalId };
}

function filterOf({ status, animalId }: OrderQuery): string {
  return (status === undefined ? "" : `&status=${status}`) + (animalId === undefined ? "" : `&petId=${animalId}`);
}
