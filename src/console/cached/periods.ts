import { DAY_MS, HOUR_MS } from "../../base/time/clock.ts";
import type { Period } from "../../domain/usage/grains.ts";
import type { ChosenPeriod, Span } from "../api/index.ts";

export const SPAN_MS: Readonly<Record<Span, number>> = { hour: HOUR_MS, day: DAY_MS, month: 30 * DAY_MS };
export const SPANS = Object.keys(SPAN_MS) as readonly Span[];

export const periodOf = (chosen: ChosenPeriod, nowMs: number): Period =>
  "span" in chosen ? { fromMs: nowMs - SPAN_MS[chosen.span] } : chosen;
