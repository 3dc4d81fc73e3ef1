// Backups that a timer makes into one folder: their names, and which of them are deleted.

/** The backups of one database. Another database of the same file name may have its backups in the same folder. */
export interface BackupSeries {
  /** The file name of the database, without its extension. */
  readonly database: string;
  /** Hexadecimal digits that tell it from other databases of that name. */
  readonly id: string;
}

/** The time is in UTC, to the millisecond: names sort by it. */
export const backupName = ({ database, id }: BackupSeries, atMs: number): string =>
  `${database}-${compactTime(atMs)}-${id}.db`;

/** A time for a file name: 20270131T093000.000Z. */
export const compactTime = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]/g, "");

/** The time at which a backup of this series was begun; undefined if the name is not one of its names. */
export function backupTime(series: BackupSeries, name: string): number | undefined {
  const [, year, month, day, hour, minute, rest] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)-[0-9a-f]+\.db$/.exec(name) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${rest}`);
  return !Number.isNaN(ms) && backupName(series, ms) === name ? ms : undefined;
}

/** The clocks of two machines may differ by this much. */
const FUTURE_MS = 60_000;

/**
 * The first time, from `atMs` on, that no backup of a series was ever named after. Names only grow, so that the name of a
 * deleted backup is not given again; those from the future, made while the clock was wrong, are left out.
 */
export function unusedTime(
  series: BackupSeries,
  names: readonly string[],
  { atMs, nowMs }: { readonly atMs: number; readonly nowMs: number },
): number {
  const past = names.map((name) => backupTime(series, name) ?? 0).filter((ms) => ms <= nowMs + FUTURE_MS);
  return past.reduce((next, ms) => Math.max(next, ms + 1), atMs);
}

export type Expired =
  | { readonly kind: "expired"; readonly names: readonly string[] }
  /** A backup is from the future, so it is unknown which are the oldest. */
  | { readonly kind: "unknown"; readonly fromFuture: string };

/** The oldest backups of a series, beyond the `keep` newest. Neither the one just made nor a newer one is among them. */
export function expiredBackups(
  series: BackupSeries,
  names: readonly string[],
  { keep, made, nowMs }: { readonly keep: number; readonly made: string; readonly nowMs: number },
): Expired {
  const own = names.filter((name) => backupTime(series, name) !== undefined).sort();
  const newest = own.at(-1);
  if (newest !== undefined && newest !== made && (backupTime(series, newest) as number) > nowMs + FUTURE_MS)
    return { kind: "unknown", fromFuture: newest };
  const oldest = own.slice(0, Math.max(0, own.length - keep));
  return { kind: "expired", names: oldest.filter((name) => name < made) };
}
