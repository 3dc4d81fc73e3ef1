import { nextTurn } from "../../../base/time/turn.ts";
import { ANIMAL_STATUSES } from "../../../domain/stock/animal.ts";
import { OPEN_ORDER_STATUSES } from "../../../domain/stock/order.ts";
import type { CountStore, StatusCounts } from "../../ports/store.ts";
import { categoryCounts } from "../../sql/tables/counts.ts";
import { first } from "../../sql/work.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { performer, reading } from "../sql/work.ts";

/** Counting this many takes less than a millisecond, in an index of nothing but status and id. */
const SLICE = 5_000;

const BYTES = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";

interface Slice {
  readonly count: bigint;
  readonly lastId: bigint | null;
}

/** Counts slice by slice, so that others get their turn in between. Rows written meanwhile may be counted or not. */
export function sqliteCounts(connection: Connection): CountStore {
  const perform = performer(connection);

  async function count<Status extends string>(
    table: string,
    statuses: readonly Status[],
  ): Promise<StatusCounts<Status>> {
    const slice = `SELECT count(*) AS count, max(id) AS lastId FROM
      (SELECT id FROM ${table} WHERE status = ? AND id > ? ORDER BY id LIMIT ${SLICE})`;
    const counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>;
    for (const status of statuses)
      for (let afterId: bigint | null = FIRST; afterId !== null; ) {
        const from: bigint = afterId;
        const next = attempt(() => perform(first<Slice>(slice, [status, from]))) as Slice;
        counts[status] += Number(next.count);
        afterId = Number(next.count) < SLICE ? null : next.lastId;
        await nextTurn();
      }
    return { counts, isEstimate: false };
  }

  return {
    ...reading(connection, categoryCounts(SQLITE)),
    animals: () => count("animals", ANIMAL_STATUSES),
    openOrders: () => count("orders", OPEN_ORDER_STATUSES),
    bytes: () => Number(attempt(() => perform(first(BYTES)))?.bytes ?? 0n),
  };
}

/** Ids are assigned from 1. */
const FIRST = 0n;
