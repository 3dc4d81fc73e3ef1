import { instancesForgottenBefore } from "../../../domain/usage/instance.ts";
import { leastIdAt } from "../../../domain/usage/kept-request.ts";
import { KEPT_REQUESTS } from "../request-rows.ts";
import { DELETE_BATCH_SIZE, SAVED_RESPONSES } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { CONSOLE_TABLES } from "../session-rows.ts";
import type { SqlValue, Table } from "../table.ts";
import { FLUSHES_KEPT_MS, INSTANCES, SWEEP_BATCH_SIZE, sweeps, usageTablesOf } from "../usage-rows.ts";
import { first, run, type Work } from "../work.ts";
import { isOfKey } from "./usage.ts";

const USAGE_FLUSHES = { name: "usage_flushes", key: ["source"] };

export function maintenanceWork(dialect: Dialect) {
  const { placeholder: $, deleteSome } = dialect;

  /** Returns whether there may be more rows to delete. */
  function* sweep(
    table: Pick<Table, "name" | "key">,
    condition: string,
    value: SqlValue,
    size = SWEEP_BATCH_SIZE,
  ): Work<boolean> {
    return (yield* run(deleteSome(table, condition, size), [value])).length === size;
  }

  return {
    deleteSavedResponses: ({ savedAtMs }: { savedAtMs: number }): Work<boolean> =>
      sweep(SAVED_RESPONSES, `saved_at <= ${$(1)}`, savedAtMs, DELETE_BATCH_SIZE),
    deleteResponsesOfKey: ({ keyId }: { keyId: string }): Work<boolean> =>
      sweep(SAVED_RESPONSES, `key_id = ${$(1)}`, keyId, DELETE_BATCH_SIZE),
    *deleteUsageOfKey({ keyId }: { keyId: string }): Work<boolean> {
      for (const table of usageTablesOf("key")) if (yield* sweep(table, isOfKey(table, dialect), keyId)) return true;
      return yield* sweep(KEPT_REQUESTS, `key_id = ${$(1)}`, keyId);
    },
    deleteRequestsBefore: ({ beforeMs }: { beforeMs: number }): Work<boolean> =>
      sweep(KEPT_REQUESTS, `id < ${$(1)}`, leastIdAt(beforeMs)),
    *deleteOldestRequests({ count }: { count: number }): Work<number> {
      const size = Math.min(count, SWEEP_BATCH_SIZE);
      const last = yield* first(`SELECT id FROM kept_requests ORDER BY id LIMIT 1 OFFSET ${size - 1}`);
      if (!last) return 0;
      return (yield* run(deleteSome(KEPT_REQUESTS, `id <= ${$(1)}`, size), [last.id as bigint])).length;
    },
    *sweepUsage({ nowMs }: { nowMs: number }): Work<boolean> {
      let isMore = false;
      for (const [table, beforeMs] of sweeps(nowMs))
        if (yield* sweep(table, `started_at < ${$(1)}`, beforeMs)) isMore = true;
      yield* sweep(USAGE_FLUSHES, `flushed_at < ${$(1)}`, nowMs - FLUSHES_KEPT_MS);
      yield* sweep(INSTANCES, `seen_at < ${$(1)}`, instancesForgottenBefore(nowMs));
      return isMore;
    },
    *sweepSessions({ nowMs }: { nowMs: number }): Work<void> {
      for (const { name } of CONSOLE_TABLES) yield* run(`DELETE FROM ${name} WHERE expires_at <= ${$(1)}`, [nowMs]);
    },
  };
}
