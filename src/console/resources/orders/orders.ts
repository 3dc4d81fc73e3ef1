import { choiceField, maybe, textField } from "../../../base/json/fields.ts";
import { NAME_MAX_CODE_POINTS } from "../../../base/text/text.ts";
import { ID_ORDERS } from "../../../domain/page.ts";
import { NO_SUCH_ORDER, sentencesOnOrderUpdate } from "../../../domain/refusal-sentences.ts";
import { ORDER_STATUSES } from "../../../domain/stock/order.ts";
import type { OrderListView } from "../../api/index.ts";
import { afterChange, ConsoleFault, notFound } from "../../fault.ts";
import {
  cursorIn,
  idIn,
  int64TextField,
  invalidField,
  nextOf,
  PAGE_SIZE,
  withForm,
  withQuery,
} from "../../forms/forms.ts";
import type { ConsoleHandler } from "../../handler.ts";
import { authorshipOf } from "../author.ts";
import { searchOrders } from "./search.ts";
import { orderDetailView, orderViews } from "./views.ts";

const STATUS_FIELD = choiceField(ORDER_STATUSES);
const FILTER = {
  status: maybe(STATUS_FIELD),
  petId: maybe(int64TextField),
  /** The longest name that it may be the beginning of has this length. */
  search: maybe(textField(NAME_MAX_CODE_POINTS)),
  sort: maybe(choiceField(ID_ORDERS)),
};

/** The newest first, unless the query says otherwise. */
export const listOrders = withQuery(FILTER, async ({ store }, _, filter, { query }) => {
  const { status, petId: animalId, search, sort = "-id" } = filter;
  const after = cursorIn(query);
  if (after instanceof ConsoleFault) return after;
  if (search !== undefined && animalId !== undefined) return ONE_OF_BOTH;
  const page = { status, sort, after, size: PAGE_SIZE };
  const { hasMoreAnimals, ...found } =
    search === undefined
      ? { ...(await store.orders.list({ ...page, animalId })), hasMoreAnimals: false }
      : await searchOrders(store, { ...page, text: search });
  return { items: await orderViews(store, found.rows), next: nextOf(found), hasMoreAnimals } satisfies OrderListView;
});

const ONE_OF_BOTH = invalidField("search", "A search cannot be combined with an animal. Clear one of them.");

export const getOrder: ConsoleHandler = async ({ store }, { role }, call) => {
  const id = idIn(call);
  const record = id === undefined ? undefined : await store.orders.getRecord(id);
  return record ? orderDetailView(store, record, role) : NOT_FOUND;
};

const MOVE_FORM = { status: STATUS_FIELD };

/** The fault of an impossible transition names the possible ones: somebody may have updated the order meanwhile. */
export const updateOrder = withForm(MOVE_FORM, async (parts, session, { status: to }, call) => {
  const orderId = idIn(call);
  if (orderId === undefined) return NOT_FOUND;
  const author = authorshipOf(parts, session);
  const moved = await parts.store.orders.update({ orderId, to, nowMs: author.atMs, author });
  if (moved.kind === "done") return (await afterChange(orderViews(parts.store, [moved.value])))[0];
  if (moved.kind === "refused" && moved.reason.kind === "invalid_transition")
    return new ConsoleFault(409, "invalid_transition", sentencesOnOrderUpdate(moved.reason), { field: "status" });
  return NOT_FOUND;
});

const NOT_FOUND = notFound("order_not_found", `${NO_SUCH_ORDER} Go back to the list of orders.`);
