import { AnimalStoreError, aborted } from "../error.ts";
import type { HttpMethod, Operation } from "../operation.ts";
import type {
  AnimalStoreOptions,
  CallOptions,
  ConditionalReadOptions,
  ConditionalWriteOptions,
  RequestEvent,
} from "../options.ts";
import { createPacer, type Pacer } from "../pacing/pacer.ts";
import { headersOf, headerText, type Patience, patienceOf, type Settings, settingsOf } from "../settings.ts";
import { dataIn, type Expected, type Received, type Reply } from "./answer.ts";
import { exchange, JSON_TYPE } from "./exchange.ts";
import { createHooks } from "./hooks.ts";
import { backoffMs, isRetriable } from "./retry.ts";

/** A request in terms of the HTTP interface. */
export interface WireRequest {
  readonly operation: Operation;
  readonly method: HttpMethod;
  /** Relative to the base URL, including the query. */
  readonly path: string;
  readonly body?: string | undefined;
  /** True if the data is a list; undefined if it may be anything. */
  readonly isList: boolean | undefined;
}

/** The union of all calls' options. */
export type AnyOptions = CallOptions & ConditionalWriteOptions & Partial<ConditionalReadOptions>;

/** The state of one call across its attempts. */
interface Sending extends Patience, Expected {
  /** The part of its events that all hooks get, with the number of attempts so far. */
  readonly about: RequestEvent & { attempt: number };
  readonly body: string | undefined;
  /** Names are in lower case, so that no header is duplicated. */
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal | undefined;
  /** The deadline of every wait. */
  readonly latestMs: number;
}

/** Sends requests: paces them, together with all that share the pacer, retries them, and calls the hooks. */
export function createTransport(options: AnimalStoreOptions, shared: Pacer | undefined) {
  const settings = settingsOf(options);
  const { clock, pacing } = settings;
  const pacer = shared ?? createPacer(clock, pacing);
  const [enter, leave] = pacer;
  const [tell, announce, noteDeprecation, guard] = createHooks(options);

  const attempt = async (sending: Sending): Promise<Received> => {
    const { signal, latestMs, about } = sending;
    if (signal?.aborted) throw aborted(signal);
    const pass = await enter(latestMs, signal);
    const sentId = numbered();
    let outcome: Received | "lost" | undefined;
    let startedAtMs = 0;
    try {
      const received = await exchange(settings, sending, sentId, (authorization) => {
        about.attempt++;
        sending.headers["x-request-id"] = sentId;
        const announced = announce(about, sending.headers);
        signal?.throwIfAborted();
        outcome = "lost";
        startedAtMs = clock.now();
        return { ...announced, authorization };
      });
      outcome = received;
      const { status, headers, requestId } = received;
      tell("onResponse", about, { status, headers, requestId, durationMs: clock.now() - startedAtMs });
      noteDeprecation(about.operation, headers);
      return received;
    } finally {
      leave(pass, outcome);
    }
  };

  const send = async <T>(request: () => WireRequest, options: AnyOptions = {}): Promise<Reply<T>> => {
    const sending = prepare(request(), options, settings);
    const { about } = sending;
    for (let failures = 0; ; ) {
      try {
        const received = await attempt(sending);
        return { data: dataIn(received, sending) as T, received, attempts: about.attempt };
      } catch (error) {
        const fail = (): never => {
          tell("onFailure", about, { error: error as Error });
          throw error;
        };
        if (!(error instanceof AnimalStoreError)) return fail();
        const { attempt: attempts, operation, method, url } = about;
        const idempotencyKey = sending.headers["idempotency-key"];
        Object.assign(error, { operation, method, url, attempts, idempotencyKey });
        // Two refusals do not count as failures: a 429 while pacing, and an earlier attempt that is still in progress.
        const isHeld = pacing && error.status === 429;
        if (!isHeld && error.code !== "idempotency_in_progress") failures++;
        const ownMs = backoffMs(about.attempt);
        const waitMs = ownMs + (error.retryAfterMs ?? 0);
        if (!isRetriable(error) || failures > sending.retries || clock.now() + waitMs > sending.latestMs) fail();
        tell("onRetry", about, { error, delayMs: waitMs });
        await clock.sleep(isHeld ? ownMs : waitMs, sending.signal);
      }
    }
  };

  return [send, pacer, guard] as const;
}

function prepare(request: WireRequest, options: AnyOptions, settings: Settings): Sending {
  const { operation, method, path, body, isList } = request;
  const patience = patienceOf(options, settings);
  const headers: Record<string, string> = { ...settings.headers };
  if (options.headers) Object.assign(headers, headersOf(options.headers));
  const set = (header: string, option: "idempotencyKey" | "ifMatch" | "ifNoneMatch", value = options[option]): void => {
    if (value !== undefined) headers[header] = headerText(value, option);
  };
  if (body) headers["content-type"] = JSON_TYPE;
  const isWrite = method !== "GET";
  if (isWrite) set("idempotency-key", "idempotencyKey", options.idempotencyKey ?? randomText());
  set("if-match", "ifMatch");
  set("if-none-match", "ifNoneMatch");
  return {
    ...patience,
    about: { callId: numbered(), operation, method, url: settings.baseUrl + path, attempt: 0 },
    body,
    headers,
    isWrite,
    isList,
    isConditional: options.ifNoneMatch !== undefined,
    signal: options.signal,
    latestMs: settings.clock.now() + patience.maxWaitMs,
  };
}

/** Prefix of all ids of calls and requests in the process, because clients share connections. Too short to be taken for a secret. */
let name: string | undefined;
/** All numbers have the same length, so that no id is part of another. */
let last = 1e6;

const numbered = (): string => {
  name ??= randomText().slice(0, 12);
  return `${name}.${++last}`;
};

/** A unique text. Unlike crypto.randomUUID, this also works on pages without HTTPS. */
const randomText = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
