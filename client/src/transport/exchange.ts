import { TIMER_MAX_MS } from "../clock.ts";
import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { Settings } from "../settings.ts";
import { parseExactly } from "../wire/exact-json.ts";
import type { Received } from "./answer.ts";

export const JSON_TYPE = "application/json";

/** The part of a call that one attempt needs. */
export interface Outgoing {
  readonly about: { readonly url: string; readonly method: string };
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request once and reads the whole response. Rejects with an AnimalStoreError that says what went wrong; errors
 * thrown by the caller's `apiKey` function are passed on unchanged.
 */
export async function exchange(
  { authorization, fetch }: Pick<Settings, "authorization" | "fetch">,
  { about: { url, method }, body, timeoutMs, signal }: Outgoing,
  sentId: string,
  /** Builds the headers, right before sending. If the signal is aborted, whatever it throws is reported as an abort. */
  headersWith: (secret: string) => Record<string, string>,
): Promise<Received> {
  /** Undefined until the request is sent. */
  let requestId: string | undefined;
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
    const sentHeaders = headersWith(secret);
    // A hook may have set its own id.
    requestId = sentHeaders["x-request-id"] || sentId;
    const response = await fetch(url, {
      method,
      headers: sentHeaders,
      body: body ?? null,
      // If fetch followed a redirect, it would turn a POST into a GET.
      redirect: "manual",
      signal: ending.signal,
    });
    const { status, ok, headers } = response;
    const type = (headers.get("content-type") ?? "").toLowerCase();
    const answeredId = headers.get("x-request-id") ?? "";
    if (isOfAnother(answeredId, sentId))
      throw new Error("the answer is to another request. Does a cache or proxy repeat it?");
    if (!isWhole(response, type, method)) throw new Error("the answer is incomplete");
    requestId = answeredId || requestId;
    let data: unknown;
    if (type.startsWith(JSON_TYPE) && !BODILESS.includes(status)) data = parse(await textOf(response), ok);
    // Other types are not from the service, and their bodies may never end.
    else response.body?.cancel().catch(() => {});
    return { status, ok, headers, body: data, requestId, retryAfterMs: ok ? undefined : retryAfterMs(headers) };
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
    // The rest of the response is useless, and so is its connection.
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
 * True if the response names another request of ours. After a fault, a connection may deliver the response to an earlier
 * request; caches repeat old responses. A proxy may repeat our id within its own.
 */
const isOfAnother = (answeredId: string, sentId: string): boolean =>
  !answeredId.includes(sentId) && answeredId.startsWith(sentId.slice(0, 12));

/**
 * Chromium accepts truncated headers, and takes a duplicated preflight response for the next one. Only a DELETE is
 * answered with 204, and with no other success: that would be the response to something else.
 */
function isWhole({ status, ok, headers }: Response, type: string, method: string): boolean {
  if (ok && method === "DELETE") return status === 204 && !headers.has("allow");
  if (status === 204) return false;
  return !ok || type === JSON_TYPE || !JSON_TYPE.startsWith(type);
}

/** The largest response of the service is a page with a few hundred kilobytes. */
const MAX_BODY_BYTES = 5_000_000;

/** The text of a body; undefined if it is too long to be the service's. */
async function textOf(response: Response): Promise<string | undefined> {
  const { headers, body } = response;
  // This is the fast way. A compressed body has more bytes than its Content-Length says.
  if (Number(headers.get("content-length") ?? Infinity) <= MAX_BODY_BYTES && !headers.has("content-encoding"))
    return response.text();
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = MAX_BODY_BYTES; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return text + decoder.decode();
    left -= value.length;
    if (left < 0) {
      reader?.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Statuses without a body, whatever their Content-Type says. */
const BODILESS: readonly number[] = [204, 304];

/** Text that is not JSON is half of an answer if the status is a success, and throws; otherwise it is a stranger's. */
function parse(text: string | undefined, ok: boolean): unknown {
  try {
    return text === undefined ? undefined : parseExactly(text);
  } catch (error) {
    if (ok) throw error;
    return undefined;
  }
}

/** Node's fetch gives the reason in the error's cause; Bun's appends advice for its direct callers. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { message?: string; code?: string } };
  // OpenSSL's messages contain line breaks and refer to its source code; the code is clearer.
  return /^.+$/.exec(cause?.message ?? "")?.[0] || cause?.code || message?.split(" For more")[0] || String(error);
}

/** Browsers hide from a page that CORS was the reason. */
function corsAdvice(origin: string): string {
  const page = (globalThis as { location?: { origin: string } }).location?.origin;
  return page && page !== origin ? `. CORS_ORIGINS may lack ${page}.` : "";
}

/** Retry-After is in seconds if the service sent it; a proxy may send a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (!value) return undefined;
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now());
  return ms >= 0 ? ms : undefined;
}
