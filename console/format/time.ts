import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";

// Times for people, in the viewer's time zone. Functions take the current time, and tests pass a zone.

/** Undefined for the viewer's time zone. */
type Zone = string | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, timeZone: Zone): Intl.DateTimeFormat {
  const key = JSON.stringify([options, timeZone]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", { ...options, ...(timeZone ? { timeZone } : {}) });
  formats.set(key, known);
  return known;
}

export const viewersZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** 14:36 */
export const clockTime = (ms: number, zone?: Zone): string =>
  format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, zone).format(ms);

/** 2026-11-15 13:36:02 UTC */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** The number of the calendar day in the zone. */
function dayNumber(ms: number, zone: Zone): number {
  const parts = format({ year: "numeric", month: "numeric", day: "numeric" }, zone).formatToParts(ms);
  const part = (type: string): number => Number(parts.find((found) => found.type === type)?.value);
  return Math.round(Date.UTC(part("year"), part("month") - 1, part("day")) / DAY_MS);
}

const yearOf = (ms: number, zone: Zone): string => format({ year: "numeric" }, zone).format(ms);

/** 12 Nov, or 12 Nov 2025 if it is not in the current year. */
export function calendarDay(ms: number, nowMs: number, zone?: Zone): string {
  const isThisYear = yearOf(ms, zone) === yearOf(nowMs, zone);
  // Intl abbreviates September as "Sept" in British English; all other months have three letters.
  return format({ day: "numeric", month: "short", ...(isThisYear ? {} : { year: "numeric" }) }, zone)
    .format(ms)
    .replace("Sept", "Sep");
}

const DAY_PREFIXES = new Map([
  [-1, "yesterday, "],
  [0, ""],
  [1, "tomorrow, "],
]);

/** 14:36 today; tomorrow, 09:00; 12 Nov, 09:00 */
export function moment(ms: number, nowMs: number, zone?: Zone): string {
  const word = DAY_PREFIXES.get(dayNumber(ms, zone) - dayNumber(nowMs, zone));
  return `${word ?? `${calendarDay(ms, nowMs, zone)}, `}${clockTime(ms, zone)}`;
}

/** 14:36:02 today; tomorrow, 09:00:00. No time zone is off by part of a minute. */
export const second = (ms: number, nowMs: number, zone?: Zone): string =>
  `${moment(ms, nowMs, zone)}:${String(new Date(ms).getUTCSeconds()).padStart(2, "0")}`;

/** Now; 2 min ago; 3 h ago; yesterday; 12 Nov */
export function ago(ms: number, nowMs: number, zone?: Zone): string {
  const pastMs = nowMs - ms;
  if (pastMs < MINUTE_MS) return "now";
  if (pastMs < HOUR_MS) return `${Math.floor(pastMs / MINUTE_MS)} min ago`;
  const days = dayNumber(nowMs, zone) - dayNumber(ms, zone);
  if (days === 0 || pastMs < 12 * HOUR_MS) return `${Math.floor(pastMs / HOUR_MS)} h ago`;
  return days === 1 ? "yesterday" : calendarDay(ms, nowMs, zone);
}

/** In 46 days; in 5 h; in 3 min; in less than a minute */
export function ahead(ms: number, nowMs: number): string {
  const leftMs = ms - nowMs;
  if (leftMs < MINUTE_MS) return "in less than a minute";
  if (leftMs < HOUR_MS) return `in ${Math.floor(leftMs / MINUTE_MS)} min`;
  if (leftMs < 2 * DAY_MS) return `in ${Math.floor(leftMs / HOUR_MS)} h`;
  return `in ${Math.floor(leftMs / DAY_MS)} days`;
}

/** 6 days; 3 h 12 min; 5 min; 40 s */
export function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  return `${Math.floor(ms / HOUR_MS)} h${minutes === 0 ? "" : ` ${minutes} min`}`;
}

/** Rounds up to the minute, so that nothing ends after the time that is shown. */
export const upToMinute = (ms: number): number => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;

/** 31 Dec 2026, in 46 days; or with "has passed". */
export function expiry(ms: number, nowMs: number, zone?: Zone): string {
  const day = moment(ms, nowMs, zone);
  return ms <= nowMs ? `${day}, has passed` : `${day}, ${ahead(ms, nowMs)}`;
}

/** The value of <input type="datetime-local">: the minute, in the viewer's time zone. */
export function localInput(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
