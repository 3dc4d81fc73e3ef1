import type { Key } from "../domain/key.ts";
import type { OnceRecord } from "../domain/once.ts";
import type { Order, OrderStatus } from "../domain/order.ts";
import type { Plan } from "../domain/plan.ts";
import type { Tally } from "../domain/tally.ts";

// What the rows of both databases mean. Their columns have the same names, and integers are bigints.

export type Row = Readonly<Record<string, bigint | string | null>>;

export const momentOf = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

export const KEY_COLUMNS = [
  "id",
  "name",
  "plan",
  "per_minute",
  "per_day",
  "created_at",
  "expires_at",
  "revoked_at",
  "pardoned_at",
] as const;

/** As a statement selects them from `keys k`. */
export const SELECTED_KEY = KEY_COLUMNS.map((column) => `k.${column}`).join(", ");

export const keyOf = (row: Row): Key => ({
  id: row.id as string,
  name: row.name as string,
  plan: row.plan as Plan,
  quotas: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
  createdAtMs: Number(row.created_at),
  expiresAtMs: momentOf(row.expires_at),
  revokedAtMs: momentOf(row.revoked_at),
  pardonedAtMs: momentOf(row.pardoned_at),
});

export const ORDER_COLUMNS = ["id", "animal_id", "status", "placed_at", "updated_at"] as const;

export const SELECTED_ORDER = ORDER_COLUMNS.join(", ");

export const orderOf = (row: Row): Order => ({
  id: row.id as bigint,
  animalId: row.animal_id as bigint,
  status: row.status as OrderStatus,
  placedAtMs: Number(row.placed_at),
  updatedAtMs: Number(row.updated_at),
});

export const TALLY_COLUMNS = [
  "key_id",
  "minute_opened_at",
  "minute_used",
  "day_opened_at",
  "day_used",
  "strikes",
  "strikes_since",
  "banned_at",
  "banned_until",
  "bans_in_a_row",
] as const;

export const tallyOf = (row: Row): Tally => ({
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

/** A tally's numbers, in the order of the columns after the key's id. */
export const tallyValues = ({ minute, day, conduct }: Tally): number[] => [
  minute.openedAtMs,
  minute.used,
  day.openedAtMs,
  day.used,
  conduct.strikes,
  conduct.strikesSinceMs,
  conduct.bannedAtMs,
  conduct.bannedUntilMs,
  conduct.bansInARow,
];

export const ANSWER_COLUMNS = ["key_id", "token", "fingerprint", "answered_at", "status", "body", "location"] as const;

/** How many answers one sweep drops at the most, so that it never holds anyone up. */
export const SWEEP_MAX_ROWS = 100;

export const onceRecordOf = (row: Row | null | undefined): OnceRecord | undefined =>
  row
    ? {
        fingerprint: row.fingerprint as string,
        answeredAtMs: Number(row.answered_at),
        answer: { status: Number(row.status), body: row.body as string, location: row.location as string },
      }
    : undefined;
