import { instancesForgottenBefore } from "../../../domain/usage/instance.ts";
import type { Maintenance } from "../../ports/store.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { DELETE_BATCH_SIZE } from "../../sql/rows.ts";
import { sessionStatements } from "../../sql/session-rows.ts";
import type { SqlValue } from "../../sql/table.ts";
import { FLUSHES_KEPT_MS, SWEEP_BATCH_SIZE, sweeps, usageTablesOf, withStarts } from "../../sql/usage-rows.ts";
import { POSTGRES } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";
import { FOLD_NAMES, foldNamesParameters, SELECT_UNFOLDED } from "../schema/folding.ts";

const SESSIONS = sessionStatements(POSTGRES.placeholder);
const USAGE_OF_KEY = usageTablesOf("key").map((table) => ({
  table: table.name,
  where: `key_id = $1 AND started_at = ANY (ARRAY(${withStarts(table, "0")} SELECT at FROM starts WHERE at IS NOT NULL))`,
}));

export function postgresMaintenance(pool: Pool): Maintenance {
  /** Deletes at most `size` rows, without those that somebody else has locked. Returns whether there may be more. */
  const deleteSome = async (table: string, where: string, parameter: SqlValue, size: number): Promise<boolean> => {
    const deleted = await pool.write(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${where} LIMIT ${size} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      [parameter],
    );
    return deleted.length === size;
  };

  return {
    deleteSavedResponses: ({ savedAtMs }) =>
      deleteSome("saved_responses", "saved_at <= $1", savedAtMs, DELETE_BATCH_SIZE),
    deleteResponsesOfKey: ({ keyId }) => deleteSome("saved_responses", "key_id = $1", keyId, DELETE_BATCH_SIZE),
    async deleteUsageOfKey({ keyId }) {
      for (const { table, where } of USAGE_OF_KEY)
        if (await deleteSome(table, where, keyId, SWEEP_BATCH_SIZE)) return true;
      return false;
    },
    async sweepUsage({ nowMs }) {
      let isMore = false;
      for (const [table, beforeMs] of sweeps(nowMs))
        if (await deleteSome(table.name, "started_at < $1", beforeMs, SWEEP_BATCH_SIZE)) isMore = true;
      await deleteSome("usage_flushes", "flushed_at < $1", nowMs - FLUSHES_KEPT_MS, SWEEP_BATCH_SIZE);
      await deleteSome("instances", "seen_at < $1", instancesForgottenBefore(nowMs), SWEEP_BATCH_SIZE);
      return isMore;
    },
    async sweepSessions({ nowMs }) {
      await pool.write(SESSIONS.sweepLinks, [nowMs]);
      await pool.write(SESSIONS.sweepSessions, [nowMs]);
    },
    async foldNames() {
      const animals = await pool.read<UnfoldedAnimal>(SELECT_UNFOLDED);
      if (animals.length === 0) return false;
      const folded = await pool.write(FOLD_NAMES, foldNamesParameters(animals));
      return animals.length === FOLD_BATCH_SIZE && folded.length > 0;
    },
    connections: {
      stats: () => pool.stats,
      onAnswer(report) {
        pool.onAnswer = report;
      },
    },
  };
}
