import { DAY_MS, HOUR_MS } from "../../src/base/time/clock.ts";
import type { ChosenPeriod } from "../../src/console/api/index.ts";
import type { Period } from "../../src/domain/usage/grains.ts";
import type { Params } from "../router.ts";
import { clockTime, localInput, moment } from "./time.ts";

// The times that plots and lists are about.

/** Times are in the address in UTC, to the minute, so that a link means the same everywhere. */
export const addressTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, "2027-01-31T09:30".length)}Z`;

/** The time in an input; null if there is none. */
export function timeInAddress(localText: string): string | null {
  const ms = Date.parse(localText);
  return Number.isNaN(ms) ? null : addressTime(ms);
}

/** Undefined unless it is a time. */
export function timeOfAddress(text: string | null): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) || ms < 0 ? undefined : ms;
}

/** The value of an input for the time in an address. */
export function inputOfAddress(text: string | null): string {
  const ms = timeOfAddress(text);
  return ms === undefined ? "" : localInput(ms);
}

export const SPANS = [
  { span: "hour", label: "Last hour", words: "the last hour", ms: HOUR_MS },
  { span: "day", label: "24 hours", words: "24 hours", ms: DAY_MS },
  { span: "month", label: "30 days", words: "30 days", ms: 30 * DAY_MS },
] as const satisfies readonly object[];

/** The choice in an address; anything invalid means the first span. */
export function chosenIn(params: Pick<URLSearchParams, "get">): ChosenPeriod {
  const [fromMs, untilMs] = [timeOfAddress(params.get("from")), timeOfAddress(params.get("to"))];
  if (fromMs !== undefined) return { fromMs, untilMs };
  return { span: SPANS.find(({ span }) => span === params.get("span"))?.span ?? "hour" };
}

/** The parameters of an address that stand for a choice. */
export const inAddress = (chosen: ChosenPeriod): Params =>
  "span" in chosen
    ? { span: chosen.span === "hour" ? null : chosen.span, from: null, to: null }
    : {
        span: null,
        from: addressTime(chosen.fromMs),
        to: chosen.untilMs === undefined ? null : addressTime(chosen.untilMs),
      };

/** The parameters with which the server is asked. */
export const inQuery = (chosen: ChosenPeriod): Params =>
  "span" in chosen ? chosen : { from: chosen.fromMs, until: chosen.untilMs };

/** The last hour; 24 hours; this period */
export const periodWords = (chosen: ChosenPeriod): string =>
  "span" in chosen ? (SPANS.find(({ span }) => span === chosen.span)?.words as string) : "this period";

/** 12 Nov, 14:00 to 16:30; yesterday, 23:00 to 14:00; since 12 Nov, 14:00 */
export function periodText({ fromMs, untilMs }: Period, nowMs: number, zone?: string): string {
  const from = moment(fromMs, nowMs, zone);
  if (untilMs === undefined) return `since ${from}`;
  const until = moment(untilMs, nowMs, zone);
  const dayOf = (text: string): string => text.slice(0, -"14:00".length);
  return `${from} to ${dayOf(from) === dayOf(until) ? clockTime(untilMs, zone) : until}`;
}

/** Returns the beginning of a choice, and its length by now. */
export function extentOf(chosen: ChosenPeriod, nowMs: number): { readonly fromMs: number; readonly lengthMs: number } {
  if ("span" in chosen) {
    const lengthMs = SPANS.find(({ span }) => span === chosen.span)?.ms as number;
    return { fromMs: nowMs - lengthMs, lengthMs };
  }
  return { fromMs: chosen.fromMs, lengthMs: Math.max(0, Math.min(chosen.untilMs ?? nowMs, nowMs) - chosen.fromMs) };
}
