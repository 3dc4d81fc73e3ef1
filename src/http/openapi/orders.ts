import { ORDER_STATUSES } from "../../domain/order.ts";
import { errors, READ_ERRORS, WRITE_ERRORS } from "./errors.ts";
import {
  curlSample,
  IDEMPOTENCY_KEY,
  int64Parameter,
  type Json,
  jsonContent,
  pageParameters,
  schemaRef,
  success,
} from "./parts.ts";

export const orderPaths = (publicUrl: string): Json => ({
  "/store/orders": { get: listOrders(publicUrl), post: placeOrder(publicUrl) },
  "/store/orders/{orderId}": { patch: updateOrder(publicUrl) },
});

const PLACED = {
  id: 7,
  petId: 42,
  status: "placed",
  placedAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
const APPROVED = { ...PLACED, status: "approved", updatedAt: "2026-11-15T10:00:00.000Z" };

const listOrders = (publicUrl: string): Json => ({
  operationId: "listOrders",
  summary: "List orders",
  description: "Orders by ascending id, a page at a time, as with animals.",
  tags: ["Orders"],
  parameters: [
    ...pageParameters(),
    {
      name: "status",
      in: "query",
      description: "Return only orders with this status.",
      schema: schemaRef("OrderStatus"),
      example: ORDER_STATUSES[0],
    },
    int64Parameter("petId", "Return only orders for this animal.", 42),
  ],
  responses: {
    200: success("A page of orders.", "Orders", { page: [PLACED], empty: [] }, "Link"),
    ...errors(...READ_ERRORS, "InvalidParameter"),
  },
  "x-codeSamples": curlSample(`curl -H "Authorization: Bearer $API_KEY" "${publicUrl}/store/orders?status=placed"`),
});

const placeOrder = (publicUrl: string): Json => ({
  operationId: "placeOrder",
  summary: "Place an order",
  description:
    "Orders an animal that is available, which makes it pending. Of several orders for one animal exactly one succeeds.",
  tags: ["Orders"],
  parameters: [IDEMPOTENCY_KEY],
  requestBody: { required: true, content: jsonContent(schemaRef("NewOrder"), { order: { petId: 42 } }) },
  responses: {
    201: success("The order, with its id.", "Order", { placed: PLACED }, "Location", "Idempotency-Replayed"),
    ...errors(...WRITE_ERRORS, "PetNotAvailable", "IdempotencyMismatch"),
  },
  "x-codeSamples": curlSample(
    `curl -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -H "Idempotency-Key: $(uuidgen)" -d '{"petId":42}' "${publicUrl}/store/orders"`,
  ),
});

const updateOrder = (publicUrl: string): Json => ({
  operationId: "updateOrder",
  summary: "Move an order on",
  description:
    "A placed order can be approved, an approved one delivered, and either cancelled. Delivery makes the animal sold, cancellation makes it available again.",
  tags: ["Orders"],
  parameters: [
    {
      name: "orderId",
      in: "path",
      required: true,
      description: "The order's id. What is no canonical int64 is answered with 404.",
      schema: { type: "integer", format: "int64" },
      example: 7,
    },
  ],
  requestBody: {
    required: true,
    content: jsonContent(schemaRef("OrderUpdate"), {
      approve: { status: "approved" },
      deliver: { status: "delivered" },
      cancel: { status: "cancelled" },
    }),
  },
  responses: {
    200: success("The order as it is now.", "Order", { approved: APPROVED }),
    ...errors(...WRITE_ERRORS, "OrderNotFound", "InvalidTransition"),
  },
  "x-codeSamples": curlSample(
    `curl -X PATCH -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -d '{"status":"approved"}' "${publicUrl}/store/orders/7"`,
  ),
});
