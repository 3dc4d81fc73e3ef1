import { AnimalStoreError } from "../error.ts";
import type { HttpMethod, Operation } from "../operation.ts";
import type { AnimalStoreOptions, CallOptions, ConditionalReadOptions, ConditionalWriteOptions } from "../options.ts";
import { createPacer, type Pacer } from "../pacing/pacer.ts";
import { headersOf, headerText, patienceOf, type Settings, settingsOf } from "../settings.ts";
import { writeExactly } from "../wire/exact-json.ts";
import { dataIn, type Reply } from "./answer.ts";
import { JSON_TYPE } from "./body.ts";
import { createExchange, type Outgoing } from "./exchange.ts";
import { createHooks } from "./hooks.ts";
import { backoffMs, isRetriable } from "./retry.ts";
import { numbered, randomText } from "./unique.ts";

/** A request in terms of the HTTP interface. */
export interface WireRequest {
  readonly operation: Operation;
  readonly method: HttpMethod;
  /** Relative to the base URL, including the query. */
  readonly path: string;
  readonly body?: object | undefined;
  /** True if the data is a list; left out if it may be anything. */
  readonly isList?: boolean;
}

/** The union of all calls' options. */
export type AnyOptions = CallOptions & ConditionalWriteOptions & Partial<ConditionalReadOptions>;

/** The state of one call across its attempts. */
interface Sending extends Outgoing {
  readonly retries: number;
}

/** Sends requests: paces them, together with all that share the pacer, retries them, and calls the hooks. */
export function createTransport(options: AnimalStoreOptions, shared: Pacer | undefined) {
  const settings = settingsOf(options);
  const { clock, pacing } = settings;
  const pacer = shared ?? createPacer(clock, pacing);
  const hooks = createHooks(options);
  const [tell, , , guard] = hooks;
  const exchange = createExchange(settings, pacer, hooks);

  const send = async <T>(request: () => WireRequest, options: AnyOptions = {}): Promise<Reply<T>> => {
    const sending = prepare(request(), options, settings);
    const { about } = sending;
    for (let failures = 0; ; ) {
      try {
        const received = await exchange(sending);
        return { data: dataIn(received, sending) as T, received, attempts: about.attempt };
      } catch (error) {
        const fail = (): never => {
          tell("onFailure", about, { error: error as Error });
          throw error;
        };
        if (!(error instanceof AnimalStoreError)) return fail();
        const { attempt: attempts, callId, ...asked } = about;
        Object.assign(error, asked, { attempts, idempotencyKey: sending.headers["idempotency-key"] });
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

  return [send, pacer, guard, settings.baseUrl] as const;
}

function prepare(request: WireRequest, options: AnyOptions, settings: Settings): Sending {
  const { operation, method, path, body, isList } = request;
  const { timeoutMs, retries, maxWaitMs } = patienceOf(options, settings);
  const headers = options.headers ? headersOf(options.headers) : {};
  const set = (header: string, option: "idempotencyKey" | "ifMatch" | "ifNoneMatch", value = options[option]): void => {
    if (value !== undefined) headers[header] = headerText(value, option);
  };
  if (body) headers["content-type"] = JSON_TYPE;
  if (method !== "GET") set("idempotency-key", "idempotencyKey", options.idempotencyKey ?? randomText());
  set("if-match", "ifMatch");
  set("if-none-match", "ifNoneMatch");
  return {
    timeoutMs,
    retries,
    about: { callId: numbered(), operation, method, url: settings.baseUrl + path, attempt: 0 },
    body: body && writeExactly(body),
    headers,
    isList,
    isConditional: options.ifNoneMatch !== undefined,
    signal: options.signal,
    latestMs: settings.clock.now() + maxWaitMs,
  };
}
