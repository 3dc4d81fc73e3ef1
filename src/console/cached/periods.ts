import { DAY_MS, HOUR_MS } from "../../base/time/clock.ts";
import type { Period } from "../../keys/queries/usage-of-period.ts";

export const SPANS = ["hour", "day", "month"] as const;
export type Span = (typeof SPANS)[number];

export const SPAN_MS: Readonly<Record<Span, number>> = { hour: HOUR_MS, day: DAY_MS, month: 30 * DAY_MS };

/** A span of time up to now, or a period that somebody has chosen. */
export type ChosenPeriod = { readonly span: Span } | Period;

export const periodOf = (chosen: ChosenPeriod, nowMs: number): Period =>
  "span" in chosen ? { fromMs: nowMs - SPAN_MS[chosen.span] } : chosen;
