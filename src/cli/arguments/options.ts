import { InvalidArgumentError } from "commander";
import { parseInt64 } from "../../base/json/int64.ts";
import { suggest } from "../../base/text/suggest.ts";
import { formatNumber } from "../../base/text/text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time/clock.ts";
import { PLAN_NAMES, QUOTA_RULE } from "../../domain/keys/plan.ts";
import { inOrder, isScope, SCOPES, type Scope } from "../../domain/keys/scope.ts";

// Parsers of options. The use-cases decide whether a value is allowed.

/** Every command that prints something has it: program.ts adds it. */
export interface JsonOption {
  readonly json?: true;
}

/** The parser of an option that takes one of some words, which completion offers. */
export interface ChoiceParser<Choice extends string> {
  (text: string): Choice;
  readonly choices: readonly Choice[];
}

/** The noun names the choices, in the plural. */
export function oneOf<Choice extends string>(noun: string, choices: readonly Choice[]): ChoiceParser<Choice> {
  const parse = (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`The ${noun} are ${choices.join(", ")}.${didYouMean(suggest(text, choices))}`);
  };
  return Object.assign(parse, { choices });
}

export const parsePlan = oneOf("plans", PLAN_NAMES);

export const parseRotation = oneOf("choices", ["on", "off"]);

/** One or more, separated by commas, or all of them. */
export function parseScopes(text: string): readonly Scope[] {
  if (text === "all") return SCOPES;
  const scopes = text.split(",").map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown === undefined) return inOrder(scopes.filter(isScope));
  const hint = didYouMean(suggest(unknown, SCOPES));
  throw new InvalidArgumentError(`Give all, or scopes separated by commas: ${SCOPES.join(", ")}.${hint}`);
}

/** " Did you mean X?", or nothing. */
export const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;

export function parseQuota(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`A quota ${QUOTA_RULE}.`);
}

/** The parser of the id of an animal, an order or a category. */
export const idOf =
  (what: string) =>
  (text: string): bigint => {
    const id = parseInt64(text);
    if (id !== undefined) return id;
    throw new InvalidArgumentError(
      `The id of ${/^[aeiou]/.test(what) ? "an" : "a"} ${what} is a whole number of 64 bits.`,
    );
  };

/** The most rows that a list prints. */
const LIMIT_MAX = 1_000_000;

/** Parses --limit. */
export function parseLimit(text: string): number {
  const limit = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${formatNumber(LIMIT_MAX)}.`);
}

/** The longest span; a date may lie further ahead. */
const SPAN_MAX_DAYS = 36_500;
/** Beyond it, a year has five digits, which nobody reads as a date. */
const LATEST_EXPIRY_MS = Date.UTC(9999, 11, 31);

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** Parses --expires. A date means its end in UTC, so that the key works through that day. */
export function parseExpiry(text: string, nowMs: number): number | "never" {
  if (text === "never") return text;
  const spanMs = spanOf(text, " For a key that does not expire, give never.");
  const ms = spanMs === undefined ? (endOfDay(text) ?? moment(text)) : nowMs + spanMs;
  if (ms <= LATEST_EXPIRY_MS) return ms;
  throw new InvalidArgumentError("It is too far ahead. For a key that does not expire, give never.");
}

/** Undefined if the text is not a span. */
function spanOf(text: string, alternative: string): number | undefined {
  const ms = durationIn(text);
  if (ms === undefined || (ms > 0 && ms <= SPAN_MAX_DAYS * DAY_MS)) return ms;
  throw new InvalidArgumentError(
    ms > 0 ? `A span can be at most ${SPAN_MAX_DAYS}d.${alternative}` : "A span must be longer than 0.",
  );
}

/** Parses --since: a span before now, a moment, or a date, from its beginning in UTC. */
export function parseSince(text: string, nowMs: number): number {
  const spanMs = spanOf(text, "");
  if (spanMs !== undefined) return Math.max(0, nowMs - spanMs);
  const ms = DATE.test(text) ? startOfDay(text) : moment(text);
  if (ms <= nowMs) return Math.max(0, ms);
  throw new InvalidArgumentError("It is in the future.");
}

export const SINCE_HELP =
  "a span such as 7d, 12h or 90m, a date such as 2027-01-31 (UTC), or a time such as 2027-01-31T09:30Z";

const endOfDay = (text: string): number | undefined => (DATE.test(text) ? startOfDay(text) + DAY_MS : undefined);

function moment(text: string): number {
  const [, date = "", time = "", zone] = MOMENT.exec(text) ?? [];
  if (date === "")
    throw new InvalidArgumentError(
      "Give a date such as 2027-01-31, a time such as 2027-01-31T09:30Z, or a span such as 30d.",
    );
  startOfDay(date);
  if (zone === undefined)
    throw new InvalidArgumentError(`The time needs a time zone: ${date}T${time}Z for UTC, or +01:00 at its end.`);
  const ms = Date.parse(`${date}T${time}${zone}`);
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError("There is no such time of day, or no such time zone.");
}

/** Date.parse() takes February 30 for March 2. */
function startOfDay(date: string): number {
  const ms = Date.parse(date);
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)) return ms;
  throw new InvalidArgumentError("There is no such day in the calendar.");
}

const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Undefined if the text is not a number and a unit. */
function durationIn(text: string): number | undefined {
  const [, amount, unit = ""] = /^([0-9]+)([a-z])$/.exec(text) ?? [];
  return unit in UNITS ? Number(amount) * (UNITS[unit] as number) : undefined;
}

export function parseDuration(text: string): number {
  const ms = text === "0" ? 0 : durationIn(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError("Give a duration such as 30m, 24h or 7d, or 0.");
}
