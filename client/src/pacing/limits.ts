/**
 * How the key stands, as the last answers have it.
 *
 * @example
 * const { minute, day } = store.limits.windows;
 * console.log(`${minute?.remaining} of ${minute?.limit} requests are left in this minute.`);
 */
export interface Limits {
  /** By name, `minute` or `day`. A window is missing until an answer tells of it, and again when it has ended. */
  readonly windows: {
    readonly minute?: LimitedWindow;
    readonly day?: LimitedWindow;
    readonly [name: string]: LimitedWindow | undefined;
  };
  /** How many calls are being held back. */
  readonly waiting: number;
}

/**
 * How one quota of the key stands.
 *
 * @example
 * const isTight = ({ remaining, limit }: LimitedWindow) => remaining < limit / 10;
 */
export interface LimitedWindow {
  /** Requests that the window allows. */
  readonly limit: number;
  /** Requests that it still allows. */
  readonly remaining: number;
  /** How long it will be until it starts anew. */
  readonly resetsInMs: number;
}

/** How one quota stands, by the client's own clock. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const POLICY_ITEM = /"([^"]+)";q=(\d+)/;
const LIMIT_ITEM = /"([^"]+)";r=(\d+);t=(\d+)/;

/** By the name of the window. */
export type Quotas = Map<string, Quota>;

/** Reads what answers say about limits, one after the other. Nothing if a proxy has made the answer, or changed it. */
export function createLimitReader(): (headers: Headers, nowMs: number) => Quotas {
  let policy: string | null;
  let limits: Map<string | undefined, number>;
  return (headers, nowMs) => {
    const told = headers.get("ratelimit-policy");
    // It is nearly always the same.
    if (told !== policy) {
      policy = told;
      limits = new Map(itemsIn(told, POLICY_ITEM).map(([, name, limit]) => [name, Number(limit)]));
    }
    const quotas: Quotas = new Map();
    for (const [, name = "", remaining, seconds] of itemsIn(headers.get("ratelimit"), LIMIT_ITEM)) {
      const limit = limits.get(name);
      // The seconds are rounded up, and some time has passed since they were counted: never too early.
      if (limit) quotas.set(name, { limit, remaining: Number(remaining), resetsAtMs: nowMs + Number(seconds) * 1000 });
    }
    return quotas;
  };
}

const itemsIn = (header: string | null, item: RegExp) => (header ?? "").split(",").map((text) => item.exec(text) ?? []);

/** What is certain after both: answers may overtake each other, and what remains of a window only ever falls. */
export const lesser = (before: Quota | undefined, after: Quota): Quota =>
  before?.limit === after.limit
    ? {
        ...after,
        remaining: Math.min(before.remaining, after.remaining),
        resetsAtMs: Math.min(before.resetsAtMs, after.resetsAtMs),
      }
    : after;

/** As users see them. */
export function windowsOf(quotas: Quotas, nowMs: number): Limits["windows"] {
  const windows: Record<string, LimitedWindow> = {};
  for (const [name, { limit, remaining, resetsAtMs }] of quotas)
    windows[name] = { limit, remaining, resetsInMs: Math.ceil(resetsAtMs - nowMs) };
  return windows;
}
