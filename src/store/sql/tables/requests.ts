import { INT64_MAX, INT64_MIN } from "../../../base/json/int64.ts";
import { cutPage, type Page } from "../../../domain/page.ts";
import {
  hourOf,
  KEPT_PER_HOUR,
  KEPT_PER_KEY,
  type KeptRequest,
  kindOf,
  leastIdAt,
  otherId,
  type RequestKind,
  STATUSES_OF,
  timeOf,
} from "../../../domain/usage/kept-request.ts";
import type { CountedSlice, KeptOfKey, KeptRequestQuery, KeptSlice } from "../../ports/store.ts";
import { KEPT_REQUESTS, keptRequestOf } from "../request-rows.ts";
import { type Dialect, search } from "../searches.ts";
import { type SqlValue, selectFrom } from "../table.ts";
import { SWEEP_BATCH_SIZE } from "../usage-rows.ts";
import { first, run, type Work } from "../work.ts";

const { name: TABLE } = KEPT_REQUESTS;

export const requestReads = (dialect: Dialect) => {
  const { placeholder: $, idInRow } = dialect;
  const getOne = `${selectFrom(KEPT_REQUESTS)} WHERE id = ${$(1)} AND key_id = ${$(2)}`;
  const ofKey = `SELECT count(*) AS count, min(id) AS oldest FROM ${TABLE} WHERE key_id = ${$(1)}`;
  const afterPosition = `FROM ${TABLE} WHERE (key_id, id) > (${$(1)}, ${idInRow($(2))}) ORDER BY key_id, id`;
  return {
    *keptRequests(query: KeptRequestQuery): Work<Page<KeptRequest>> {
      const { sql, parameters } = listing(query, dialect);
      return cutPage((yield* run(sql, parameters)).map(keptRequestOf), query.size);
    },
    *keptRequest(keyId: string, id: bigint): Work<KeptRequest | undefined> {
      const row = yield* first(getOne, [id, keyId]);
      return row && keptRequestOf(row);
    },
    *keptOfKey(keyId: string): Work<KeptOfKey> {
      const row = yield* first(ofKey, [keyId]);
      const oldest = row?.oldest as bigint | null | undefined;
      return { count: Number(row?.count ?? 0), oldestAtMs: oldest ? timeOf({ id: oldest }) : undefined };
    },
    /** From the index alone, which has no rows in it. */
    *countKept({ after, size }: KeptSlice): Work<CountedSlice> {
      const position = [after?.keyId ?? "", after?.id ?? INT64_MIN];
      const last = yield* first(`SELECT key_id, id ${afterPosition} LIMIT 1 OFFSET ${size - 1}`, position);
      if (last) return { count: size, next: { keyId: last.key_id as string, id: last.id as bigint } };
      const rest = yield* first(
        `SELECT count(*) AS count FROM (SELECT id ${afterPosition} LIMIT ${size}) AS rest`,
        position,
      );
      return { count: Number(rest?.count), next: undefined };
    },
  };
};

/** A page of an index by id, or by key and id, without the rows that do not match: of one key there are 5,000 at most. */
function listing(
  { keyId, status, code, sinceMs, untilMs, sort = "-id", afterId, size }: KeptRequestQuery,
  to: Dialect,
) {
  const parameters: SqlValue[] = [];
  const $ = (value: SqlValue): string => to.placeholder(parameters.push(value));
  const since = sinceMs === undefined ? INT64_MIN : leastIdAt(sinceMs);
  const until = untilMs === undefined ? INT64_MAX : leastIdAt(untilMs) - 1n;
  const isDescending = sort === "-id";
  const next = afterId === undefined ? undefined : isDescending ? afterId - 1n : afterId + 1n;
  const equal: Record<string, string> = keyId === undefined ? {} : { key_id: $(keyId) };
  const from = { id: $(isDescending ? least(until, next) : greatest(since, next)) };
  const limit = $(BigInt(size + 1));
  const conditions = [isDescending ? `id >= ${$(since)}` : `id <= ${$(until)}`];
  if (status) conditions.push(`status >= ${$(BigInt(status.from))}`, `status <= ${$(BigInt(status.to))}`);
  if (code !== undefined) conditions.push(`code = ${$(code)}`);
  const select = `SELECT * FROM (${selectFrom(KEPT_REQUESTS)} WHERE ${conditions.join(" AND ")}) AS matching`;
  return { sql: search({ select, equal, from, limit, isDescending }, to), parameters };
}

const least = (a: bigint, b = a): bigint => (a < b ? a : b);
const greatest = (a: bigint, b = a): bigint => (a > b ? a : b);

/** Inserts rows, and returns the ids of those whose id was free. */
export type InsertRequests = (requests: readonly KeptRequest[]) => Work<readonly bigint[]>;

/** Few requests have one millisecond: that so many of its ids are taken does not happen. */
const MAX_TRIES = 8;

/** Adds requests of keys that exist, and deletes what is then too much of each hour and key. */
export const requestAdder = (dialect: Dialect, insert: InsertRequests) => {
  const { placeholder: $, deleteSome } = dialect;
  const ofHour = `key_id = ${$(1)} AND id >= ${$(2)} AND id < ${$(3)} AND status >= ${$(4)} AND status <= ${$(5)}`;
  const beyondHour = (limit: number) =>
    tooMany(`${ofHour} AND id <= (SELECT id FROM ${TABLE} WHERE ${ofHour} ORDER BY id DESC LIMIT 1 OFFSET ${limit})`);
  const trimHour: Readonly<Record<RequestKind, string>> = {
    failure: beyondHour(KEPT_PER_HOUR.failure),
    success: beyondHour(KEPT_PER_HOUR.success),
  };
  const trimKey = tooMany(`key_id = ${$(1)} AND id <=
    (SELECT id FROM ${TABLE} WHERE key_id = ${$(1)} ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_PER_KEY})`);

  function tooMany(condition: string): string {
    return deleteSome(KEPT_REQUESTS, condition, SWEEP_BATCH_SIZE);
  }

  return function* add(requests: readonly KeptRequest[]): Work<void> {
    let left = requests;
    for (let tries = 0; tries < MAX_TRIES && left.length > 0; tries++) {
      const inserted = new Set(yield* insert(left));
      left = left.filter(({ id }) => !inserted.has(id)).map((request) => ({ ...request, id: otherId(request.id) }));
    }
    for (const { keyId, kind, fromMs, beforeMs } of hoursOf(requests)) {
      const { from, to } = STATUSES_OF[kind];
      yield* run(trimHour[kind], [keyId, leastIdAt(fromMs), leastIdAt(beforeMs), BigInt(from), BigInt(to)]);
    }
    for (const keyId of new Set(requests.map((request) => request.keyId))) yield* run(trimKey, [keyId]);
  };
};

/** The hours that requests are added to, each once for every key and kind. */
function hoursOf(requests: readonly KeptRequest[]) {
  const hours = requests.map((request) => {
    const kind = kindOf(request.status);
    return { keyId: request.keyId, kind, ...hourOf(timeOf(request)) };
  });
  return new Map(hours.map((hour) => [`${hour.keyId} ${hour.kind} ${hour.fromMs}`, hour])).values();
}
