import type { TestClock, TestRequest, createTestStore as TestStoreMaker, TestStoreOptions } from "../src/testing.ts";
import { Clock } from "./clock.ts";
import { Failures } from "./failures.ts";
import { issuedKeys } from "./keys.ts";
import { createService, type SentRequest } from "./service.ts";
import { idempotency } from "./store/saved-responses.ts";

export type * from "../src/testing.ts";

const BASE_URL = "http://animal-store.test/v1";
const START = "2026-11-15T09:30:00.000Z";

export const createTestStore: typeof TestStoreMaker = ({ now = START, ...firstKey }: TestStoreOptions = {}) => {
  const startMs = new Date(now).getTime();
  if (Number.isNaN(startMs)) throw new TypeError(`now is ${String(now)}. It must be a date.`);
  const clock = new Clock(startMs);
  const once = idempotency();
  const keys = issuedKeys(clock, once);
  const answer = createService({ clock, once, keyring: keys, keyStore: keys, publicUrl: BASE_URL });
  const failures = new Failures();
  const requests: TestRequest[] = [];

  const exchange = async (sent: SentRequest, noted: { status: number | undefined }): Promise<Response> => {
    const response = await failures.apply(sent, answer);
    noted.status = response.status;
    return response;
  };

  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const sent = sentRequest(url, init);
    sent.signal.throwIfAborted();
    const noted = notedRequest(sent);
    requests.push(noted);
    return clock.during(sent.signal, exchange(sent, noted));
  };

  return {
    baseUrl: BASE_URL,
    apiKey: keys.issue(firstKey),
    fetch,
    clock: clock satisfies TestClock,
    requests,
    failNext: (...next) => failures.add(next),
    issueKey: (options = {}) => keys.issue(options),
  };
};

/** The request as a server would receive it. The body of a client's request is text. */
function sentRequest(url: string, { method = "GET", headers, body, signal }: RequestInit): SentRequest {
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("The testing kit takes bodies of text.");
  const sent = new Headers(headers);
  const bytes = new TextEncoder().encode(body ?? "");
  if (typeof body === "string") sent.set("content-length", String(bytes.length));
  return {
    method: method.toUpperCase(),
    url: new URL(url).href,
    headers: sent,
    signal: signal ?? new AbortController().signal,
    text: body ?? undefined,
    bytes: async () => bytes,
  };
}

function notedRequest({ method, url, headers, text }: SentRequest): TestRequest & { status: number | undefined } {
  const shown = new Headers(headers);
  shown.delete("authorization");
  shown.delete("content-length");
  return { method, path: url.replace(/^.*?\/v1(?=[/?]|$)/, ""), headers: shown, body: text, status: undefined };
}
