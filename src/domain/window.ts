import { DAY_MS, MINUTE_MS } from "./clock.ts";

/** A fixed span of time that a quota holds for. The first counted request opens it. */
export interface Window {
  readonly name: string;
  readonly lengthMs: number;
}

export const MINUTE: Window = { name: "minute", lengthMs: MINUTE_MS };
export const DAY: Window = { name: "day", lengthMs: DAY_MS };

/** What was counted in the window that is open; nothing used means that none is. */
export interface Count {
  openedAtMs: number;
  used: number;
}

export const newCount = (): Count => ({ openedAtMs: 0, used: 0 });

/** Within [from, from + length): a clock that was set back ends a window too, or it might last for years. */
export const isWithin = (fromMs: number, lengthMs: number, nowMs: number): boolean =>
  fromMs <= nowMs && nowMs < fromMs + lengthMs;

/** Forgets a window that is over. */
export function closeIfOver(count: Count, window: Window, nowMs: number): void {
  if (count.used > 0 && !isWithin(count.openedAtMs, window.lengthMs, nowMs)) count.used = 0;
}

/** Counts one request, which opens the window when none is open. */
export function use(count: Count, nowMs: number): void {
  if (count.used === 0) count.openedAtMs = nowMs;
  count.used++;
}

/** How one quota stands: what the limit headers are made of. */
export interface QuotaStanding {
  readonly window: Window;
  readonly quota: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** A window that is not open shows the whole quota, and the end it would have if it opened now. */
export function quotaStanding(count: Count, window: Window, quota: number, nowMs: number): QuotaStanding {
  const openedAtMs = count.used === 0 ? nowMs : count.openedAtMs;
  return {
    window,
    quota,
    remaining: Math.max(0, quota - count.used),
    resetAtMs: openedAtMs + window.lengthMs,
  };
}

/** The quota that hinders most: the one with least remaining, and of equals the one that resets later. */
export function tightest(a: QuotaStanding, b: QuotaStanding): QuotaStanding {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetAtMs > b.resetAtMs ? a : b;
}
