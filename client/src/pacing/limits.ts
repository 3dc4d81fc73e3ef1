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
  remaining: number;
  resetsAtMs: number;
  /** The number of requests of this client that the window has answered, as far as they are known. */
  own: number;
}

/** Quotas by the name of their window. */
export type Quotas = Map<string, Quota>;

/** The service has two. No more than this are read, because a stranger may send thousands, each to be searched for. */
const MAX_WINDOWS = 8;

/** Reads the RateLimit headers of responses. The result is empty if a proxy has made or changed the response. */
export function createLimitReader(): (headers: Headers, nowMs: number) => Quotas {
  let policy: string | null = null;
  let limits: [name: string, limit: number][] = [];
  return (headers, nowMs) => {
    const told = headers.get("ratelimit-policy");
    // The policy hardly ever changes, so it is parsed only when it does.
    if (told !== policy) {
      policy = told;
      limits = (told ?? "").split(",", MAX_WINDOWS).map((item) => [item.split('"')[1] ?? "", numberIn(item, "q=")]);
    }
    const quotas: Quotas = new Map();
    const state = headers.get("ratelimit") ?? "";
    for (const [name, limit] of limits) {
      const at = state.indexOf(`"${name}"`);
      const remaining = numberIn(state, "r=", at);
      const seconds = numberIn(state, "t=", at);
      // The service rounds the seconds up, and the response took time to arrive: the result is never too early.
      if (at >= 0 && limit > 0 && remaining >= 0 && seconds >= 0)
        quotas.set(name, { limit, remaining, resetsAtMs: nowMs + seconds * 1000, own: 1 });
    }
    return quotas;
  };
}

/** The number after a parameter's name, such as `r=`; NaN if there is none. A regular expression takes far longer. */
const numberIn = (text: string, parameter: string, from = 0): number => {
  const at = text.indexOf(parameter, from);
  return at < 0 ? NaN : parseInt(text.slice(at + 2, at + 402), 10);
};

/**
 * Merges what a response tells. That to a request that was alone replaces what was known before. Others may overtake each
 * other, so of two reports about a window the lesser one holds: its remainder only falls.
 */
export function merged(quotas: Quotas, told: Quotas, isAlone: boolean): Quotas {
  const all = isAlone && told.size ? told : quotas;
  for (const [name, quota] of told) {
    const before = quotas.get(name);
    all.set(name, quota);
    // If more remains than before, or another number in all, it is a new window.
    if (before?.limit !== quota.limit || (isAlone && before.remaining <= quota.remaining)) continue;
    quota.own += before.own;
    if (isAlone) continue;
    quota.remaining = Math.min(before.remaining, quota.remaining);
    quota.resetsAtMs = Math.min(before.resetsAtMs, quota.resetsAtMs);
  }
  return all;
}

/** Removes windows that have ended. Returns when, and how many of the requests that they allow were this client's. */
export function removeEnded(quotas: Quotas, nowMs: number): { atMs: number; part: number } | undefined {
  let ended: { atMs: number; part: number } | undefined;
  for (const [name, { limit, remaining, own, resetsAtMs }] of quotas)
    if (resetsAtMs <= nowMs) {
      quotas.delete(name);
      ended = { atMs: resetsAtMs, part: Math.min(ended?.part ?? limit, limit, (limit * own) / (limit - remaining)) };
    }
  return ended;
}

/** The end of the last window that is used up, or `sinceMs` if that is later. */
export function usedUpUntilMs(quotas: Quotas, sinceMs: number): number {
  let untilMs = sinceMs;
  for (const { remaining, resetsAtMs } of quotas.values()) if (!remaining) untilMs = Math.max(untilMs, resetsAtMs);
  return untilMs;
}

/** The public form of quotas. */
export function windowsOf(quotas: Quotas, nowMs: number): Limits["windows"] {
  const windows: Record<string, LimitedWindow> = {};
  for (const [name, { limit, remaining, resetsAtMs }] of quotas)
    windows[name] = { limit, remaining, resetsInMs: Math.ceil(resetsAtMs - nowMs) };
  return windows;
}
