import { choiceField, maybe } from "../../base/json/fields.ts";
import { NO_SUCH_ORDER, sentencesOnOrderUpdate } from "../../domain/refusal-sentences.ts";
import { ORDER_STATUSES, type Order } from "../../domain/stock/order.ts";
import type { Store } from "../../store/ports/store.ts";
import type { OrderListView, OrderView } from "../api/index.ts";
import { afterChange, ConsoleFault, notFound } from "../fault.ts";
import { cursorIn, idIn, int64TextField, nextOf, PAGE_SIZE, withForm, withQuery } from "../forms/forms.ts";
import { authorshipOf } from "./author.ts";

const STATUS_FIELD = choiceField(ORDER_STATUSES);
const FILTER = { status: maybe(STATUS_FIELD), petId: maybe(int64TextField) };

/** The newest first. */
export const listOrders = withQuery(FILTER, async ({ store }, _, { status, petId: animalId }, { query }) => {
  const after = cursorIn(query);
  if (after instanceof ConsoleFault) return after;
  const page = await store.orders.list({ status, animalId, after, sort: "-id", size: PAGE_SIZE });
  return { items: await viewsOf(store, page.rows), next: nextOf(page) } satisfies OrderListView;
});

/** Adds the names of their animals, in one look-up. */
async function viewsOf({ animals }: Store, orders: readonly Order[]): Promise<OrderView[]> {
  const ids = [...new Set(orders.map(({ animalId }) => animalId))];
  const found = ids.length === 0 ? [] : (await animals.list({ ids, size: ids.length })).rows;
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return orders.map(({ id, animalId, status, reference, placedAtMs, updatedAtMs }) => ({
    id: String(id),
    petId: String(animalId),
    animalName: names.get(animalId) ?? null,
    status,
    reference: reference ?? null,
    placedAtMs,
    updatedAtMs,
  }));
}

const MOVE_FORM = { status: STATUS_FIELD };

/** The fault of an impossible transition names the possible ones: somebody may have updated the order meanwhile. */
export const updateOrder = withForm(MOVE_FORM, async (parts, session, { status: to }, call) => {
  const orderId = idIn(call);
  if (orderId === undefined) return NOT_FOUND;
  const author = authorshipOf(parts, session);
  const moved = await parts.store.orders.update({ orderId, to, nowMs: author.atMs, author });
  if (moved.kind === "done") return (await afterChange(viewsOf(parts.store, [moved.value])))[0];
  if (moved.kind === "refused" && moved.reason.kind === "invalid_transition")
    return new ConsoleFault(409, "invalid_transition", sentencesOnOrderUpdate(moved.reason), { field: "status" });
  return NOT_FOUND;
});

const NOT_FOUND = notFound("order_not_found", `${NO_SUCH_ORDER} Go back to the list of orders.`);
