import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call } from "./api.ts";

// What a page shows stays up to date: it is asked for again every few seconds while somebody looks at it.

export const POLL_MS = 5000;

export interface Live<T> {
  /** Undefined until the first answer. While another address is being asked, what the last one said. */
  readonly data: T | undefined;
  /** Why the last attempt failed; undefined once one succeeds. */
  readonly error: unknown;
  /** Whether `data` belongs to another address than the one that was asked for last. */
  readonly isStale: boolean;
  /** Asks at once, as after a change. */
  reload(): void;
  /** Shows what a change was answered with, until the next poll. */
  replace(data: T): void;
}

interface Known<T> {
  readonly path: string | undefined;
  readonly data: T | undefined;
  readonly error: unknown;
}

/** What was last seen at an address is shown at once when somebody comes back to it. */
const seen = new Map<string, unknown>();
const SEEN_MAX = 40;

function remember(path: string, data: unknown): void {
  seen.delete(path);
  seen.set(path, data);
  if (seen.size > SEEN_MAX) seen.delete(seen.keys().next().value as string);
}

const seenAt = <T>(path: string | undefined): T | undefined =>
  path === undefined ? undefined : (seen.get(path) as T | undefined);

/** Nobody who signs in next may see it. */
export const forgetAll = (): void => seen.clear();

/**
 * Asks for `path` of the console's server, now and every few seconds. Leaving the page aborts what is under way.
 * Undefined: there is nothing to ask for.
 */
export function useLive<T>(path: string | undefined, everyMs = POLL_MS): Live<T> {
  const [known, setKnown] = useState<Known<T>>({ path, data: seenAt<T>(path), error: undefined });
  const ask = useRef<() => void>(() => {});

  useEffect(() => {
    if (path === undefined) return setKnown({ path, data: undefined, error: undefined });
    if (seen.has(path)) setKnown({ path, data: seen.get(path) as T, error: undefined });
    const poll = startPoll<T>(path, everyMs, (next) =>
      // What another address has said is no answer of this one.
      setKnown((last) => ({
        path,
        data: next.data ?? (last.path === path ? last.data : undefined),
        error: next.error,
      })),
    );
    ask.current = poll.ask;
    return poll.stop;
  }, [path, everyMs]);

  const reload = useCallback(() => ask.current(), []);
  const replace = useCallback(
    (data: T) => {
      if (path !== undefined) remember(path, data);
      setKnown({ path, data, error: undefined });
    },
    [path],
  );
  return { data: known.data, error: known.error, isStale: known.path !== path, reload, replace };
}

function startPoll<T>(path: string, everyMs: number, tell: (next: { data?: T; error?: unknown }) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  let isStopped = false;

  async function ask(): Promise<void> {
    clearTimeout(timer);
    asking?.abort();
    const controller = new AbortController();
    asking = controller;
    try {
      const data = await call<T>(path, { signal: controller.signal });
      if (controller.signal.aborted) return;
      remember(path, data);
      tell({ data });
    } catch (error) {
      if (controller.signal.aborted) return;
      tell({ error });
    }
    if (!isStopped && !document.hidden) timer = setTimeout(ask, everyMs);
  }

  const onVisibility = (): void => {
    if (document.hidden) clearTimeout(timer);
    else void ask();
  };
  document.addEventListener("visibilitychange", onVisibility);
  void ask();
  return {
    ask: () => void ask(),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      asking?.abort();
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}
