import { InvalidArgumentError } from "commander";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { Mistake } from "../domain/mistake.ts";
import { isPlan, PLAN_NAMES, type Plan, QUOTA_MAX } from "../domain/plan.ts";
import { suggest } from "../domain/suggest.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../store/database-url.ts";

// The text of an option as the value that commands work with. Whether a value is allowed is for the use-case to say.

export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

export interface JsonOption {
  readonly json?: true;
}

export function parsePlan(text: string): Plan {
  if (isPlan(text)) return text;
  throw new InvalidArgumentError(`The plans are ${PLAN_NAMES.join(", ")}.${didYouMean(suggest(text, PLAN_NAMES))}`);
}

/** " Did you mean X?", or nothing. */
export const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;

export const QUOTA_RULE = `must be a whole number from 1 to ${QUOTA_MAX}`;

export function parseQuota(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`A quota ${QUOTA_RULE}.`);
}

const DATE_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A date means its start in UTC. */
export function parseTime(text: string): number {
  const date = DATE_OR_TIME.exec(text)?.[1];
  const ms = Date.parse(text);
  if (date !== undefined && !Number.isNaN(ms) && isInCalendar(date)) return ms;
  throw new InvalidArgumentError("Give a date such as 2027-01-01, or a time such as 2027-01-01T09:30:00Z.");
}

/** Date.parse() takes February 30 for March 2. */
function isInCalendar(date: string): boolean {
  const ms = Date.parse(date);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export function parseDuration(text: string): number {
  const [, amount = "", unit = ""] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  if (text === "0") return 0;
  throw new InvalidArgumentError("Give a duration such as 30m, 24h or 7d; 0 for none.");
}

export function parseDatabase(text: string): DatabaseUrl {
  const database = parseDatabaseUrl(text);
  if (database instanceof Mistake) throw new InvalidArgumentError(`A database URL ${database.text}.`);
  return database;
}
