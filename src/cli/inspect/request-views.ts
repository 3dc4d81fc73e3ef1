import { countOf, harmless } from "../../base/text/text.ts";
import { type KeptRequest, timeOf } from "../../domain/usage/kept-request.ts";
import type { Coverage } from "../../keys/queries/requests.ts";
import { formatTime } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

// Kept requests: a table or lines for people, objects for scripts.

/** A request with the name of its key; undefined: the key was deleted meanwhile. */
export interface NamedRequest extends KeptRequest {
  readonly keyName: string | undefined;
}

export const jsonOfRequest = (request: NamedRequest) => ({
  id: Number(request.id),
  at: new Date(timeOf(request)).toISOString(),
  keyId: request.keyId,
  method: request.method,
  path: request.path,
  status: request.status,
  code: request.code ?? null,
  message: request.message ?? null,
  requestId: request.requestId,
  idempotencyKey: request.idempotencyKey ?? null,
  latencyMs: request.latencyMs,
});

const keyOf = ({ keyId, keyName }: NamedRequest): string => keyName ?? keyId;

const COLUMNS: readonly Column<NamedRequest>[] = [
  { title: "TIME", text: (request) => formatTime(timeOf(request)) },
  { title: "STATUS", align: "right", text: ({ status }) => String(status) },
  { title: "REQUEST", shrinksTo: 16, text: ({ method, path }) => `${method} ${path}` },
  { title: "CODE", rank: 1, text: ({ code }) => code ?? "" },
  { title: "MESSAGE", rank: 2, shrinksTo: 24, text: ({ message }) => message ?? "" },
  { title: "REQUEST ID", rank: 3, text: ({ requestId }) => requestId },
];

const KEY_COLUMN: Column<NamedRequest> = { title: "KEY", shrinksTo: 12, text: keyOf };

export function tableOfRequests(
  requests: readonly NamedRequest[],
  isOfAllKeys: boolean,
  width: number | undefined,
): string {
  const [time, ...others] = COLUMNS as [Column<NamedRequest>, ...Column<NamedRequest>[]];
  return table(isOfAllKeys ? [time, KEY_COLUMN, ...others] : COLUMNS, requests, width);
}

/** In one line, without the width of a column that the next request may need wider. */
export const lineOfRequest = (request: NamedRequest, isOfAllKeys: boolean): string => {
  const { status, method, path, code, message } = request;
  const key = isOfAllKeys ? [keyOf(request)] : [];
  const error = code === undefined ? [] : [`${code}: ${message ?? ""}`];
  return [formatTime(timeOf(request)), ...key, status, `${method} ${path}`, ...error]
    .map(String)
    .map(harmless)
    .join("  ");
};

export const coverageText = ({ sinceMs, kept, leftOut }: Coverage): string => {
  const since = `since ${formatTime(sinceMs)}`;
  if (leftOut === 0) return `All requests of this key ${since} are kept: ${countOf(kept, "request")}.`;
  return `Of this key's requests ${since}, ${countOf(kept, "request")} ${kept === 1 ? "is" : "are"} kept, and ${countOf(leftOut, "other")} only counted.`;
};
