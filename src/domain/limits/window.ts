import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";

/** A fixed period that a quota applies to. The first counted request opens it. */
export interface Window {
  readonly name: string;
  readonly lengthMs: number;
}

export const MINUTE: Window = { name: "minute", lengthMs: MINUTE_MS };
export const DAY: Window = { name: "day", lengthMs: DAY_MS };

/** The requests counted in the open window. When none are used, no window is open. */
export type Count = ReturnType<typeof newCount>;

export const newCount = () => ({ openedAtMs: 0, used: 0 });

/** True within [from, from + length). A clock that was set back ends a window too, or it could last for years. */
export const isWithin = (fromMs: number, lengthMs: number, nowMs: number): boolean =>
  fromMs <= nowMs && nowMs < fromMs + lengthMs;

export const isOpen = ({ used, openedAtMs }: Count, { lengthMs }: Window, nowMs: number): boolean =>
  used > 0 && isWithin(openedAtMs, lengthMs, nowMs);

/** Closes a window that has ended. */
export function closeIfOver(count: Count, window: Window, nowMs: number): void {
  if (!isOpen(count, window, nowMs)) count.used = 0;
}

/** Counts one request, which opens the window if none is open. */
export function use(count: Count, nowMs: number): void {
  if (count.used === 0) count.openedAtMs = nowMs;
  count.used++;
}

/** The state of one quota. */
export type WindowStatus = Readonly<ReturnType<typeof windowStatus>>;

/** A window that is not open shows its full quota, and the reset time it would have if it opened now. */
export function windowStatus(count: Count, window: Window, quota: number, nowMs: number) {
  const openedAtMs = count.used === 0 ? nowMs : count.openedAtMs;
  return {
    window,
    quota,
    remaining: Math.max(0, quota - count.used),
    resetAtMs: openedAtMs + window.lengthMs,
  };
}

/** The more restrictive of two quotas: the one with less remaining or, if equal, the later reset. */
export function tighter(a: WindowStatus, b: WindowStatus): WindowStatus {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetAtMs > b.resetAtMs ? a : b;
}

/** Continues the window that others count in, too. What was counted in that same window stays counted. */
export function follow(count: Count, shared: Count): void {
  if (count.openedAtMs === shared.openedAtMs && count.used >= shared.used) return;
  count.openedAtMs = shared.openedAtMs;
  count.used = shared.used;
}

/** The count with more use in a window that is open; if equal, the one that ends later. */
export function fullerCount(a: Count, b: Count, window: Window, nowMs: number): Count {
  const usedOf = (count: Count) => (isOpen(count, window, nowMs) ? count.used : 0);
  const [usedA, usedB] = [usedOf(a), usedOf(b)];
  if (usedA !== usedB) return usedA > usedB ? a : b;
  return a.openedAtMs >= b.openedAtMs ? a : b;
}
