import { InvalidArgumentError } from "commander";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { KEY_NAME_MAX_CODE_POINTS } from "../domain/key.ts";
import { isPlan, PLAN_NAMES, type Plan, QUOTA_MAX } from "../domain/plan.ts";
import { mistakeInText } from "../domain/text.ts";
import { didYouMean } from "./suggest.ts";

// What the command line says, as the values that commands work with. A mistake names its remedy.

export function parsePlan(text: string): Plan {
  if (isPlan(text)) return text;
  throw new InvalidArgumentError(`The plans are ${PLAN_NAMES.join(", ")}.${didYouMean(text, PLAN_NAMES)}`);
}

export function parseName(text: string): string {
  const mistake = mistakeInText(text, KEY_NAME_MAX_CODE_POINTS);
  if (mistake) throw new InvalidArgumentError(`A name ${mistake}.`);
  return text;
}

export function parseQuota(text: string): number {
  const quota = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (quota >= 1 && quota <= QUOTA_MAX) return quota;
  throw new InvalidArgumentError(`A quota is a whole number from 1 to ${QUOTA_MAX}.`);
}

const DAY_OR_MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A day means its beginning in UTC. */
export function parseFutureMoment(text: string): number {
  const ms = DAY_OR_MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  const isRealDay =
    !Number.isNaN(ms) && new Date(Date.parse(text.slice(0, 10))).toISOString().startsWith(text.slice(0, 10));
  if (!isRealDay)
    throw new InvalidArgumentError("Give a day such as 2027-01-01, or a moment such as 2027-01-01T09:30:00Z.");
  if (ms <= Date.now()) throw new InvalidArgumentError("That is in the past.");
  return ms;
}

const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const DURATION_MAX_MS = 365 * DAY_MS;

export function parseDuration(text: string): number {
  const [, amount = "", unit = ""] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const ms = text === "0" ? 0 : Number(amount || Number.NaN) * (UNITS[unit] ?? Number.NaN);
  if (ms <= DURATION_MAX_MS) return ms;
  throw new InvalidArgumentError("Give a duration such as 30m, 24h or 7d, up to 365d; 0 for none.");
}
