import { type Field, maybe } from "../../../base/json/fields.ts";
import { parseInt64 } from "../../../base/json/int64.ts";
import { Mistake } from "../../../base/mistake.ts";
import { isKeyId, type Key } from "../../../domain/keys/key.ts";
import { type KeptRequest, parseStatusRange, type StatusRange, timeOf } from "../../../domain/usage/kept-request.ts";
import { FAULT_CODES } from "../../../http/faults/fault.ts";
import { coverageOf } from "../../../keys/queries/requests.ts";
import type { RequestOfKeyView, RequestsView, RequestView } from "../../api/index.ts";
import { ConsoleFault } from "../../fault.ts";
import { cursorIn, invalidField, nextOf, PAGE_SIZE, plainTextField, withQuery } from "../../forms/forms.ts";
import { NO_SUCH_KEY } from "../../forms/key-messages.ts";
import type { ConsoleHandler, ConsoleParts } from "../../handler.ts";

const statusField: Field<StatusRange> = {
  parse: (value) =>
    (typeof value === "string" ? parseStatusRange(value) : undefined) ??
    new Mistake("must be a status such as 400, or a class such as 4xx"),
  schema: { type: "string" },
};

/** A time of a query, in milliseconds. */
const TIME = /^[0-9]{1,15}$/;
const timeField: Field<number> = {
  parse: (value) =>
    typeof value === "string" && TIME.test(value) ? Number(value) : new Mistake("must be a date and a time"),
  schema: { type: "string" },
};

const FILTER = {
  status: maybe(statusField),
  code: maybe(plainTextField),
  since: maybe(timeField),
  until: maybe(timeField),
};

export const listRequests = withQuery(FILTER, async (parts, _, filter, { params, query }) => {
  const { store, clock, settings } = parts;
  const after = cursorIn(query);
  if (after instanceof ConsoleFault) return after;
  const { status, code, since: sinceMs, until: untilMs } = filter;
  if (sinceMs !== undefined && untilMs !== undefined && untilMs <= sinceMs)
    return invalidField("until", "The end must be later than the beginning.");
  const key = await keyOf(parts, params);
  if (!key) return NO_SUCH_KEY;
  const [page, coverage] = await Promise.all([
    store.usage.keptRequests({ keyId: key.id, status, code, sinceMs, untilMs, afterId: after?.id, size: PAGE_SIZE }),
    coverageOf({ usage: store.usage, clock }, key.id),
  ]);
  const items = page.rows.map(viewOf);
  const { requestDays: keptDays } = settings;
  return { items, next: nextOf(page), keptDays, ...coverage, codes: FAULT_CODES } satisfies RequestsView;
});

export const showRequest: ConsoleHandler = async (parts, _, { params }): Promise<RequestOfKeyView | ConsoleFault> => {
  const key = await keyOf(parts, params);
  if (!key) return NO_SUCH_KEY;
  const id = parseInt64(params.request ?? "");
  const request = id === undefined ? undefined : await parts.store.usage.keptRequest(key.id, id);
  return request ? { ...viewOf(request), keyName: key.name } : NO_SUCH_REQUEST;
};

const NO_SUCH_REQUEST = new ConsoleFault(
  404,
  "request_not_found",
  "This request is not kept, or no longer: it was only counted, or is too old. Go back to the key.",
);

const keyOf = async (
  { store }: ConsoleParts,
  { id = "" }: Readonly<Record<string, string>>,
): Promise<Key | undefined> => (isKeyId(id) ? store.keys.get(id) : undefined);

const viewOf = (request: KeptRequest): RequestView => {
  const { id, method, path, status, code, message, requestId, idempotencyKey, latencyMs } = request;
  const known = { id: String(id), atMs: timeOf(request), method, path, status, requestId, latencyMs };
  return { ...known, code: code ?? null, message: message ?? null, idempotencyKey: idempotencyKey ?? null };
};
