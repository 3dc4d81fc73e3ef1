import { TIMER_MAX_MS } from "../clock.ts";
import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { Settings } from "../settings.ts";
import { parseExactly } from "../wire/exact-json.ts";
import type { Received } from "./answer.ts";

export const JSON_TYPE = "application/json";

/** What one attempt needs to know of its call. */
export interface Outgoing {
  readonly about: { readonly url: string; readonly method: string };
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request once and takes in the whole answer, or fails with an AnimalStoreError that says what went wrong. What
 * the caller's function for the key throws stays as it is.
 */
export async function exchange(
  { authorization, fetch }: Pick<Settings, "authorization" | "fetch">,
  { about: { url, method }, body, timeoutMs, signal }: Outgoing,
  sentId: string,
  /** The headers to be sent with the key. Called last: what it throws, if the signal is aborted, is not looked at. */
  headersWith: (secret: string) => Record<string, string>,
): Promise<Received> {
  /** Undefined while nothing is sent. */
  let requestId: string | undefined;
  const ending = new AbortController();
  let giveUp: () => void;
  const end = (): void => {
    ending.abort();
    // The caller's functions may not heed the signal. What is complete already is taken.
    setTimeout(giveUp);
  };
  const work = async (): Promise<Received> => {
    const secret = await authorization();
    ending.signal.throwIfAborted();
    const sentHeaders = headersWith(secret);
    // A hook may have set its own.
    requestId = sentHeaders["x-request-id"] || sentId;
    const response = await fetch(url, {
      method,
      headers: sentHeaders,
      body: body ?? null,
      // Following one, fetch would turn a POST into a GET.
      redirect: "manual",
      signal: ending.signal,
    });
    const { status, ok, headers } = response;
    const type = headers.get("content-type") ?? "";
    if (!isOurs(response, type, sentId)) throw new Error("the answer is incomplete, or not ours");
    requestId = headers.get("x-request-id") || requestId;
    // Only what the service may have sent is read: anything else may have no end.
    let data: unknown;
    if (type.startsWith(JSON_TYPE)) data = parseExactly(await response.text());
    else response.body?.cancel().catch(() => {});
    return { status, ok, headers, body: data, requestId, retryAfterMs: retryAfterMs(headers) };
  };
  const timer = setTimeout(end, Math.min(timeoutMs, TIMER_MAX_MS));
  const stopListening = onAbort(signal, end);
  try {
    return await new Promise((resolve, reject) => {
      giveUp = reject;
      if (signal?.aborted) end();
      work().then(resolve, reject);
    });
  } catch (cause) {
    const isLate = ending.signal.aborted;
    // What is left of the answer is of no use, nor is its connection.
    end();
    if (signal?.aborted) throw aborted(signal, requestId);
    if (!isLate && !requestId) throw cause;
    const { origin } = new URL(url);
    const message = isLate
      ? `No complete answer from ${requestId ? origin : "apiKey"} within ${timeoutMs} ms. Raise timeoutMs.`
      : `The connection to ${origin} failed: ${reasonOf(cause)}${corsAdvice(origin)}`;
    throw new AnimalStoreError({ code: isLate ? "timeout" : "connection_failed", message, requestId, cause });
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/**
 * A connection that has seen a fault may deliver the answer to an earlier request; and a proxy may name ours twice.
 * Chromium accepts headers without their end, and takes a preflight's answer that comes twice for the next one.
 */
function isOurs({ status, ok, headers }: Response, type: string, sentId: string): boolean {
  const answered = headers.get("x-request-id") ?? "";
  if (answered.startsWith(sentId.slice(0, 12)) && !answered.includes(sentId)) return false;
  if (status === 204) return !headers.has("allow");
  return !ok || type === JSON_TYPE || !JSON_TYPE.startsWith(type);
}

/** Node's fetch says why in the cause of what it throws; Bun's adds advice for those who call it themselves. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { message?: string; code?: string } };
  // OpenSSL's messages end in a line break, and are for those who know its source.
  return /^.+$/.exec(cause?.message ?? "")?.[0] || cause?.code || message?.split(" For more")[0] || String(error);
}

/** A browser does not tell a page that only its origin was refused. */
function corsAdvice(origin: string): string {
  const page = (globalThis as { location?: { origin: string } }).location?.origin;
  return page && page !== origin ? `. CORS_ORIGINS may lack ${page}.` : "";
}

/** In seconds, as the service sends it, or the date that a proxy may send. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now());
  return ms >= 0 ? ms : undefined;
}
