import { choiceField, INT64_SCHEMA, int64Field, maybe, textField } from "../../base/json/fields.ts";
import { ORDER_STATUSES, type Order, REFERENCE_MAX_CODE_POINTS } from "../../domain/stock/order.ts";
import { pageSchema } from "../declare/paging.ts";
import { assignedId, bodyShape, moment, namedSchema, refTo } from "../declare/schema.ts";

// An order on the wire: its schemas, and its JSON.

export const ORDERS_TAG = {
  name: "Orders",
  description: "Their sale. An animal has at most one open order, and its status follows that order.",
};

export const ORDER_STATUS = namedSchema("OrderStatus", {
  type: "string",
  description: "The state of the sale.",
  enum: ORDER_STATUSES,
});

const petId = { ...INT64_SCHEMA, description: "The animal being sold.", examples: [42] };

const referenceField = textField(REFERENCE_MAX_CODE_POINTS);
const reference = {
  ...referenceField.schema,
  description:
    "What the caller knows the order by, such as a number of its own. Returned exactly as it was sent, and left out where none was given. The same rules as for an animal's name; several orders may have the same one.",
  examples: ["INV-2026-0042"],
};

export const ORDER_PLACEMENT = bodyShape("OrderPlacement", {
  description: "An order for one animal.",
  fields: { petId: int64Field, reference: maybe(referenceField) },
  describe: { petId, reference },
  examples: { order: { petId: 42 }, withReference: { petId: 42, reference: "INV-2026-0042" } },
});

export const ORDER_UPDATE = bodyShape("OrderUpdate", {
  description: "The status that the order is to move to.",
  fields: { status: choiceField(ORDER_STATUSES) },
  describe: { status: refTo(ORDER_STATUS) },
  examples: { approve: { status: "approved" }, deliver: { status: "delivered" }, cancel: { status: "cancelled" } },
});

export const PLACED_EXAMPLE = {
  id: 7,
  petId: 42,
  status: "placed",
  placedAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
export const WITH_REFERENCE_EXAMPLE = { ...PLACED_EXAMPLE, reference: "INV-2026-0042" };
export const APPROVED_EXAMPLE = { ...PLACED_EXAMPLE, status: "approved", updatedAt: "2026-11-15T10:00:00.000Z" };

export const ORDER = namedSchema("Order", {
  type: "object",
  description: "The sale of one animal.",
  properties: {
    id: assignedId(7),
    petId,
    status: refTo(ORDER_STATUS),
    placedAt: moment("When it was placed."),
    updatedAt: moment("When its status last changed."),
    reference,
  },
  required: ["id", "petId", "status", "placedAt", "updatedAt"],
  examples: [PLACED_EXAMPLE],
});

export const ORDERS = pageSchema(
  "Orders",
  ORDER,
  "A page of orders, by ascending id unless `sort` says otherwise; the Link header has the next one.",
);

export const orderJson = ({ id, animalId, status, placedAtMs, updatedAtMs, reference }: Order): string =>
  `{"id":${id},"petId":${animalId},"status":"${status}","placedAt":"${dateTime(placedAtMs)}","updatedAt":"${dateTime(updatedAtMs)}"${
    reference === undefined ? "" : `,"reference":${JSON.stringify(reference)}`
  }}`;

const dateTime = (ms: number): string => new Date(ms).toISOString();
