import type { KeptRequest } from "../../domain/usage/kept-request.ts";
import {
  asIs,
  columnsOf,
  type FieldsOf,
  objectOf,
  optionalText,
  type Row,
  type SqlValue,
  type Table,
} from "./table.ts";

// The table of kept requests and the mapping of its rows. rows.ts lists it with the others.

const MICROSECONDS = 1000;

const FIELDS: FieldsOf<KeptRequest> = {
  id: ["id", asIs],
  keyId: ["key_id", asIs],
  method: ["method", asIs],
  path: ["path", asIs],
  status: ["status", Number],
  code: ["code", optionalText],
  message: ["message", optionalText],
  requestId: ["request_id", asIs],
  idempotencyKey: ["idempotency_key", optionalText],
  latencyMs: ["latency_us", (value) => Number(value) / MICROSECONDS],
};

export const KEPT_REQUESTS: Table = { name: "kept_requests", columns: columnsOf(FIELDS), key: ["id"] };

export const keptRequestOf = (row: Row): KeptRequest => objectOf(FIELDS, row);

/** The values in the order of the columns. */
export const keptRequestValues = ({ latencyMs, ...request }: KeptRequest): SqlValue[] => [
  request.id,
  request.keyId,
  request.method,
  request.path,
  request.status,
  request.code ?? null,
  request.message ?? null,
  request.requestId,
  request.idempotencyKey ?? null,
  Math.round(latencyMs * MICROSECONDS),
];

export const keptRequestRow = (request: KeptRequest): Readonly<Record<string, SqlValue>> => {
  const values = keptRequestValues(request);
  return Object.fromEntries(KEPT_REQUESTS.columns.map((column, i) => [column, values[i] ?? null]));
};
