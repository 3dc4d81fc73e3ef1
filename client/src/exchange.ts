import type { Received } from "./answer.ts";
import { TIMER_MAX_MS } from "./clock.ts";
import { AnimalStoreError, aborted } from "./error.ts";
import { parseExactly } from "./exact-json.ts";
import { onAbort } from "./on-abort.ts";

export const JSON_TYPE = "application/json";

/** What one attempt needs to know of its call. */
export interface Outgoing {
  readonly about: { readonly url: string; readonly method: string };
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends a request once and takes in the whole answer, or fails with an AnimalStoreError that says what went wrong. */
export async function exchange(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  { about: { url, method }, body, timeoutMs, signal }: Outgoing,
  sentHeaders: Record<string, string>,
  sentId: string,
): Promise<Received> {
  // A hook may have set its own.
  let requestId = sentHeaders["x-request-id"] ?? sentId;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, Math.min(timeoutMs, TIMER_MAX_MS));
  const stopListening = onAbort(signal, end);
  try {
    const response = await fetch(url, {
      method,
      headers: sentHeaders,
      body: body ?? null,
      // Following one, fetch would turn a POST into a GET.
      redirect: "manual",
      signal: ending.signal,
    });
    const { status, ok, headers } = response;
    if (!isOurs(response, sentId)) throw new Error("it delivered part of an answer, or that to another request");
    requestId = headers.get("x-request-id") ?? requestId;
    // Only what the service may have sent is read: anything else may have no end.
    const isJson = headers.get("content-type")?.startsWith(JSON_TYPE);
    if (!isJson) response.body?.cancel().catch(() => {});
    const data = isJson ? parseExactly(await response.text()) : undefined;
    return { status, ok, headers, body: data, requestId, retryAfterMs: ok ? undefined : retryAfterMs(headers) };
  } catch (cause) {
    const isLate = ending.signal.aborted;
    // What is left of the answer is of no use, nor is its connection.
    end();
    if (signal?.aborted) throw aborted(signal, requestId);
    const { origin } = new URL(url);
    const message = isLate
      ? `No complete answer from ${origin} within ${timeoutMs} ms. Raise timeoutMs if it may take longer.`
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
function isOurs({ status, ok, headers }: Response, sentId: string): boolean {
  const answered = headers.get("x-request-id") ?? "";
  if (answered.startsWith(sentId.slice(0, 12)) && !answered.includes(sentId)) return false;
  const type = headers.get("content-type") ?? "";
  if (status === 204) return answered !== "" && !headers.has("allow");
  return !ok || type === JSON_TYPE || !JSON_TYPE.startsWith(type);
}

/** Node's fetch says why in the cause of what it throws; Bun's adds advice for those who call it themselves. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message?.split(" For more")[0] || String(error);
}

/** A browser does not tell a page that only its origin was refused. */
function corsAdvice(origin: string): string {
  const page = (globalThis as { location?: { origin: string } }).location?.origin;
  return page && page !== origin ? `. Perhaps CORS_ORIGINS lacks ${page}.` : "";
}

/** In seconds, as the service sends it, or the date that a proxy may send. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now());
  return ms >= 0 ? ms : undefined;
}
