import type { Database } from "bun:sqlite";
import type { Tally } from "../../domain/tally.ts";
import type { KeyTally, TallyStore } from "../store.ts";
import { attempt, type Row, type Transact } from "./database.ts";

const COLUMNS =
  "key_id, minute_opened_at, minute_used, day_opened_at, day_used, strikes, strikes_since, banned_at, banned_until, bans_in_a_row";

export function sqliteTallies(db: Database, transact: Transact): TallyStore {
  const all = db.prepare<Row, []>(`SELECT ${COLUMNS} FROM tallies`);
  const get = db.prepare<Row, [string]>(`SELECT ${COLUMNS} FROM tallies WHERE key_id = ?`);
  const put = db.prepare(`INSERT OR REPLACE INTO tallies (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const putAll = (tallies: readonly KeyTally[]): void => {
    for (const [keyId, { minute, day, conduct }] of tallies)
      put.run(
        keyId,
        minute.openedAtMs,
        minute.used,
        day.openedAtMs,
        day.used,
        conduct.strikes,
        conduct.strikesSinceMs,
        conduct.bannedAtMs,
        conduct.bannedUntilMs,
        conduct.bansInARow,
      );
  };

  return {
    load: () => attempt(() => all.all()).map((row) => [row.key_id as string, tallyOf(row)]),
    get(keyId) {
      const row = attempt(() => get.get(keyId));
      return row ? tallyOf(row) : undefined;
    },
    save: (tallies) => transact(() => putAll(tallies)),
  };
}

const tallyOf = (row: Row): Tally => ({
  minute: { openedAtMs: Number(row.minute_opened_at), used: Number(row.minute_used) },
  day: { openedAtMs: Number(row.day_opened_at), used: Number(row.day_used) },
  conduct: {
    strikes: Number(row.strikes),
    strikesSinceMs: Number(row.strikes_since),
    bannedAtMs: Number(row.banned_at),
    bannedUntilMs: Number(row.banned_until),
    bansInARow: Number(row.bans_in_a_row),
  },
});
