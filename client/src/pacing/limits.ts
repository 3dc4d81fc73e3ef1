/**
 * The key's limits, as the latest responses have reported them.
 *
 * @example
 * const { minute, day } = store.limits.windows;
 * console.log(`${minute?.remaining} of ${minute?.limit} requests are left in this minute.`);
 */
export interface Limits {
  /** The windows by name, `minute` or `day`. Each is missing before a response reports it, and after it has ended. */
  readonly windows: {
    readonly minute?: LimitedWindow;
    readonly day?: LimitedWindow;
    readonly [name: string]: LimitedWindow | undefined;
  };
  /** The number of calls that are being held back. */
  readonly waiting: number;
}

/**
 * The state of one quota window.
 *
 * @example
 * const isTight = ({ remaining, limit }: LimitedWindow) => remaining < limit / 10;
 */
export interface LimitedWindow {
  /** The number of requests that the window allows. */
  readonly limit: number;
  /** The number of requests left. */
  readonly remaining: number;
  /** The time until the window resets. */
  readonly resetsInMs: number;
}

/** The state of one quota window, in the time of the client's clock. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

// A proxy that writes headers anew may put spaces after semicolons.
const POLICY_ITEM = /"([^"]+)"; *q=(\d+)/;
const LIMIT_ITEM = /"([^"]+)"; *r=(\d+); *t=(\d+)/;

/** Quotas by the name of their window. */
export type Quotas = Map<string, Quota>;

/** Reads the RateLimit headers of responses. The result is empty if a proxy has made or changed the response. */
export function createLimitReader(): (headers: Headers, nowMs: number) => Quotas {
  let policy: string | null;
  let limits: Map<string | undefined, number>;
  return (headers, nowMs) => {
    const told = headers.get("ratelimit-policy");
    // The policy hardly ever changes, so it is parsed only when it does.
    if (told !== policy) {
      policy = told;
      limits = new Map(itemsIn(told, POLICY_ITEM).map(([, name, limit]) => [name, Number(limit)]));
    }
    const quotas: Quotas = new Map();
    for (const [, name = "", remaining, seconds] of itemsIn(headers.get("ratelimit"), LIMIT_ITEM)) {
      const limit = limits.get(name);
      // The service rounds the seconds up, and the response took time to arrive: the result is never too early.
      if (limit) quotas.set(name, { limit, remaining: Number(remaining), resetsAtMs: nowMs + Number(seconds) * 1000 });
    }
    return quotas;
  };
}

const itemsIn = (header: string | null, item: RegExp) => (header ?? "").split(",").map((text) => item.exec(text) ?? []);

/** Merges two reports pessimistically: responses may overtake each other, and the remainder of a window only falls. */
export const lesser = (before: Quota | undefined, after: Quota): Quota =>
  before?.limit === after.limit
    ? {
        ...after,
        remaining: Math.min(before.remaining, after.remaining),
        resetsAtMs: Math.min(before.resetsAtMs, after.resetsAtMs),
      }
    : after;

/** The public form of quotas. */
export function windowsOf(quotas: Quotas, nowMs: number): Limits["windows"] {
  const windows: Record<string, LimitedWindow> = {};
  for (const [name, { limit, remaining, resetsAtMs }] of quotas)
    windows[name] = { limit, remaining, resetsInMs: Math.ceil(resetsAtMs - nowMs) };
  return windows;
}
