import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, Failure, isSignedOut } from "./api.ts";

// Polls the server every few seconds while a page is visible, so that its data stays up to date.

export const POLL_MS = 5000;

export interface Live<T> {
  /** Undefined until the first response. While another path is loading, the data of the last one. */
  readonly data: T | undefined;
  /** The error of the last attempt; undefined if it succeeded. */
  readonly error: unknown;
  /** True while `data` belongs to another path than the current one. */
  readonly isStale: boolean;
  /** Polls at once, such as after a change. */
  reload(): void;
  /** Shows the response to a change until the next poll. */
  replace(data: T): void;
}

interface Known<T> {
  readonly path: string | undefined;
  readonly data: T | undefined;
  readonly error: unknown;
}

/** Cache of the last data of each path, shown at once when the user comes back. */
const seen = new Map<string, unknown>();
const SEEN_MAX = 40;

function remember(path: string, data: unknown): void {
  seen.delete(path);
  seen.set(path, data);
  if (seen.size > SEEN_MAX) seen.delete(seen.keys().next().value as string);
}

/** The same request would be refused again. */
const isMistaken = (error: unknown): boolean => error instanceof Failure && error.status === 400;

const seenAt = <T>(path: string | undefined): T | undefined =>
  path === undefined ? undefined : (seen.get(path) as T | undefined);

/** Clears the cache, so that the next user to sign in does not see it. */
export const forgetAll = (): void => seen.clear();

/** The polls of the pages that are shown. */
const polls = new Set<() => void>();

/** Polls everything at once: a poll that found the session ended does not go on by itself. */
export function pollAll(): void {
  for (const ask of polls) ask();
}

/**
 * Polls `path` of the console's server, now and every few seconds. Leaving the page aborts the request. Does nothing if
 * `path` is undefined.
 */
export function useLive<T>(path: string | undefined, everyMs = POLL_MS): Live<T> {
  const [known, setKnown] = useState<Known<T>>({ path, data: seenAt<T>(path), error: undefined });
  const polling = useRef<Pick<Poll, "ask" | "putOff"> | undefined>(undefined);

  useEffect(() => {
    if (path === undefined) return setKnown({ path, data: undefined, error: undefined });
    if (seen.has(path)) setKnown({ path, data: seen.get(path) as T, error: undefined });
    const poll = startPoll<T>(path, everyMs, (next) =>
      // Data of another path does not belong to this one.
      setKnown((last) => ({
        path,
        data: next.data ?? (last.path === path ? last.data : undefined),
        error: next.error,
      })),
    );
    polling.current = poll;
    return poll.stop;
  }, [path, everyMs]);

  const reload = useCallback(() => polling.current?.ask(), []);
  const replace = useCallback(
    (data: T) => {
      if (path !== undefined) remember(path, data);
      setKnown({ path, data, error: undefined });
      polling.current?.putOff();
    },
    [path],
  );
  return { data: known.data, error: known.error, isStale: known.path !== path, reload, replace };
}

type Poll = ReturnType<typeof startPoll>;

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
      if (controller.signal.aborted || isSignedOut(error)) return;
      tell({ error });
      if (isMistaken(error)) return;
    }
    askLater();
  }

  function askLater(): void {
    clearTimeout(timer);
    if (!isStopped && !document.hidden) timer = setTimeout(ask, everyMs);
  }

  const onVisibility = (): void => {
    if (document.hidden) clearTimeout(timer);
    else void ask();
  };
  document.addEventListener("visibilitychange", onVisibility);
  polls.add(ask);
  void ask();
  return {
    ask: () => void ask(),
    /** Drops an answer that is on its way: it may be older than the change that the page shows. */
    putOff(): void {
      asking?.abort();
      askLater();
    },
    stop: () => {
      isStopped = true;
      polls.delete(ask);
      clearTimeout(timer);
      asking?.abort();
      document.removeEventListener("visibilitychange", onVisibility);
    },
  };
}
