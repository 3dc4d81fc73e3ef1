import { TIMER_MAX_MS } from "../clock.ts";
import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { RequestEvent } from "../options.ts";
import type { Pacer } from "../pacing/pacer.ts";
import type { Settings } from "../settings.ts";
import type { Expected, Received } from "./answer.ts";
import { bodyOf } from "./body.ts";
import type { Hooks } from "./hooks.ts";
import { numbered } from "./unique.ts";

/** The part of a call that its attempts need. */
export interface Outgoing extends Expected {
  /** The part of its events that all hooks get, with the number of attempts so far. */
  readonly about: RequestEvent & { attempt: number };
  readonly body: string | undefined;
  /** Its own, in addition to the client's. Names are in lower case, so that no header is duplicated. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The deadline of every wait. */
  readonly latestMs: number;
}

/**
 * Returns a function that sends a request once, as soon as the pacer lets it, and reads the whole response. It rejects
 * with an AnimalStoreError that says what went wrong; errors thrown by the caller's `apiKey` function are passed on
 * unchanged.
 */
export function createExchange(
  { authorization, fetch, clock, headers: common }: Settings,
  [enter, leave]: Pacer,
  [tell, announce, noteDeprecation]: Hooks,
) {
  return async ({ about, body, headers, isList, timeoutMs, signal, latestMs }: Outgoing): Promise<Received> => {
    if (signal?.aborted) throw aborted(signal);
    const pass = await enter(latestMs, signal);
    const { url, method } = about;
    const sentId = numbered();
    let requestId: string | undefined;
    /** Undefined until the request is sent. */
    let outcome: Received | "lost" | undefined;
    let startedAtMs = 0;
    const ending = new AbortController();
    let giveUp: () => void;
    const end = (): void => {
      ending.abort();
      // The caller's functions may ignore the signal. A result that is already complete still wins.
      setTimeout(giveUp);
    };
    const work = async (): Promise<Received> => {
      const secret = await authorization();
      ending.signal.throwIfAborted();
      about.attempt++;
      const sent = announce(about, { ...common, ...headers, "x-request-id": sentId });
      // A hook may have aborted the call.
      ending.signal.throwIfAborted();
      // A hook may have set its own id.
      requestId = sent["x-request-id"] || sentId;
      sent.authorization = secret;
      outcome = "lost";
      startedAtMs = clock.now();
      const response = await fetch(url, {
        method,
        headers: sent,
        body: body ?? null,
        // If fetch followed a redirect, it would turn a POST into a GET.
        redirect: "manual",
        signal: ending.signal,
      });
      const { status, ok, headers: answered } = response;
      const answeredId = answered.get("x-request-id") ?? "";
      if (isOfAnother(answeredId, sentId))
        throw new Error("the answer is to another request. Does a cache or proxy repeat it?");
      requestId = answeredId || requestId;
      const retryAfterMs = ok ? undefined : delayMs(answered);
      const data = await bodyOf(response, method, isList === undefined);
      return { status, ok, headers: answered, body: data, requestId, retryAfterMs };
    };
    const timer = setTimeout(end, Math.min(timeoutMs, TIMER_MAX_MS));
    const stopListening = onAbort(signal, end);
    try {
      const received = await new Promise<Received>((resolve, reject) => {
        giveUp = reject;
        if (signal?.aborted) end();
        work().then(resolve, reject);
      });
      outcome = received;
      const { status, headers } = received;
      tell("onResponse", about, { status, headers, requestId, durationMs: clock.now() - startedAtMs });
      noteDeprecation(about.operation, headers);
      return received;
    } catch (cause) {
      const isLate = ending.signal.aborted;
      // The rest of the response is useless, and so is its connection.
      end();
      if (signal?.aborted) throw aborted(signal, requestId);
      if (!isLate && !outcome) throw cause;
      const { origin } = new URL(url);
      const message = isLate
        ? `No complete answer from ${outcome ? origin : "apiKey"} within ${timeoutMs} ms. Raise timeoutMs.`
        : `The connection to ${origin} failed: ${reasonOf(cause)}${corsAdvice(origin)}`;
      throw new AnimalStoreError({ code: isLate ? "timeout" : "connection_failed", message, requestId, cause });
    } finally {
      clearTimeout(timer);
      stopListening();
      leave(pass, outcome);
    }
  };
}

/**
 * True if the response names another request of ours. After a fault, a connection may deliver the response to an earlier
 * request; caches repeat old responses. A proxy may repeat our id within its own.
 */
const isOfAnother = (answeredId: string, sentId: string): boolean =>
  !answeredId.includes(sentId) && answeredId.startsWith(sentId.slice(0, 12));

/** Node's fetch gives the reason in the innermost cause; Bun's appends advice for its direct callers. */
function reasonOf(error: unknown): string {
  const { message = "", code, cause } = Object(error) as { message?: string; code?: string; cause?: unknown };
  if (cause) return reasonOf(cause);
  // OpenSSL's messages contain line breaks and refer to its source code; the code is clearer.
  return /^.+$/.exec(message.split(" For more")[0] ?? "")?.[0] || code || String(error);
}

/** Browsers hide from a page that CORS was the reason. */
function corsAdvice(origin: string): string {
  const page = (globalThis as { location?: { origin: string } }).location?.origin;
  return page && page !== origin ? `. CORS_ORIGINS may lack ${page}.` : "";
}

/** Retry-After is in seconds if the service sent it; a proxy may send a date. */
function delayMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (!value) return undefined;
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now());
  return ms >= 0 ? ms : undefined;
}
