import type { AnimalStoreError } from "../../src/index.ts";
import type { Everywhere, Strangeness } from "./env.ts";

const BROKEN: readonly Strangeness[] = [
  "closes",
  "resets",
  "cuts headers",
  "cuts a body of known length",
  "cuts a body in chunks",
  "resets in the body",
  "sends half of its JSON",
  "speaks another protocol",
];
/** Strangers that say that everything went well. */
const PLEASED: readonly Strangeness[] = [
  "is a website",
  "is an empty website",
  "sends a page for ever",
  "sends a short body that expands",
];
const FOREIGN: readonly Strangeness[] = ["redirects", "is another interface"];

/** The error of a write to an address. */
const writing = ({ store, failure }: Everywhere, baseUrl: string, timeoutMs = 10_000): Promise<AnimalStoreError> =>
  failure(
    store({ baseUrl, timeoutMs, retries: 1 }).pets.create({ name: "Rex", categoryId: 7 }, { idempotencyKey: "k" }),
  );

export const aConnectionThatBreaksAnywhereIsAFailedConnection = async (env: Everywhere): Promise<void> => {
  const { equal, strange, strangeOrigin } = env;
  for (const how of BROKEN) {
    const { code, attempts, idempotencyKey, requestId, cause } = await writing(env, strange(how));
    equal([code, attempts, idempotencyKey], ["connection_failed", 2, "k"], how);
    equal([typeof requestId, cause instanceof Error], ["string", true], how);
  }
  const unreachable = [
    strangeOrigin.replace("http:", "https:"),
    "http://no-such-host.invalid",
    new URL(env.deadUrl).origin,
  ];
  for (const origin of unreachable) {
    const { code, status, attempts, message } = await writing(env, `${origin}/v1`);
    equal([code, status ?? null, attempts], ["connection_failed", null, 2], origin);
    equal(message.startsWith(`The connection to ${origin} failed: `), true, message);
  }
};

export const anAnswerThatNeverComesOrNeverEndsIsATimeout = async (env: Everywhere): Promise<void> => {
  for (const how of ["hangs", "hangs in the body"] as const) {
    const { code, status, attempts, idempotencyKey, message } = await writing(env, env.strange(how), 100);
    env.equal([code, status ?? null, attempts, idempotencyKey], ["timeout", null, 2, "k"], how);
    env.equal(message, `No complete answer from ${env.strangeOrigin} within 100 ms. Raise timeoutMs.`);
  }
};

export const whatIsNotTheServiceIsToldAndNotAskedAgain = async (env: Everywhere): Promise<void> => {
  const reading = (how: Strangeness): Promise<AnimalStoreError> =>
    env.failure(env.store({ baseUrl: env.strange(how), retries: 1 }).pets.list());
  const failures = [
    ...FOREIGN.map((how) => [how, writing(env, env.strange(how))] as const),
    ...[...FOREIGN, ...PLEASED].map((how) => [how, reading(how)] as const),
  ];
  for (const [how, failure] of failures) {
    const { code, status, attempts, message } = await failure;
    env.equal([code, typeof status, attempts], ["unexpected_response", "number", 1], how);
    env.equal(/baseUrl/.test(message), true, message);
    env.equal(/redirects/.test(message), how === "redirects", message);
  }
};

export const aSuccessOfAWriteIsNeverTakenForAStrangers = async (env: Everywhere): Promise<void> => {
  for (const how of PLEASED) {
    const { code, status, attempts, idempotencyKey, message } = await writing(env, env.strange(how));
    env.equal([code, status, attempts, idempotencyKey], ["connection_failed", 200, 2, "k"], how);
    env.equal(/may have been done/.test(message) && /baseUrl/.test(message), true, message);
  }
};

export const newCodesAndWaitsPassAsTheyAre = async (env: Everywhere): Promise<void> => {
  const { code, status, message, attempts } = await writing(env, env.strange("has a new code"));
  env.equal([code, status, message, attempts], ["llama_is_tired", 418, "Let it sleep.", 1]);
  const starting = await writing(env, env.strange("is starting"));
  env.equal([starting.code, starting.status, starting.attempts], ["service_unavailable", 503, 2]);
  env.equal(starting.retryAfterMs, 2_000);
};

export const requestsThatTheServiceCannotTakeAreRefusedByIt = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure } = env;
  const { pets } = store();
  const large = await failure(pets.create({ name: "x".repeat(20_000), categoryId: 7 }));
  equal([large.code, large.status, large.attempts], ["payload_too_large", 413, 1]);
  const odd = await failure(pets.create({ name: "Rex", categoryId: 7 }, { idempotencyKey: "a,b" }));
  equal([odd.code, odd.status, odd.attempts], ["invalid_parameter", 400, 1]);
};

export const anAbortIsToldWhereverItHappens = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, strange } = env;
  /** Aborts a call soon after its first request was sent. */
  const during = async (how: Strangeness, abort: (ending: AbortController) => void): Promise<AnimalStoreError> => {
    const ending = new AbortController();
    const onRequest = (): void => void setTimeout(() => abort(ending), 30);
    return failure(store({ baseUrl: strange(how), onRequest }).pets.list({}, { signal: ending.signal }));
  };
  const inFlight = await during("hangs", (ending) => ending.abort(new Error("enough")));
  equal([inFlight.code, inFlight.attempts, String(inFlight.cause)], ["aborted", 1, "Error: enough"], "in flight");
  equal(typeof inFlight.requestId, "string", "the id of what was sent");
  const inBody = await during("hangs in the body", (ending) => ending.abort());
  equal([inBody.code, inBody.attempts, (inBody.cause as Error).name], ["aborted", 1, "AbortError"], "in the body");
  // Real time: with the impatient clock, the two seconds would be over after which another request is sent.
  const hung = store({ baseUrl: strange("hangs"), clock: undefined });
  const timedOut = await failure(hung.pets.list({}, { signal: AbortSignal.timeout(30) }));
  equal([timedOut.code, (timedOut.cause as Error).name], ["deadline_exceeded", "TimeoutError"], "by its deadline");
  // The limits are unknown, so one request goes ahead, and the others are held back.
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };
  const { pets } = store({ baseUrl: strange("hangs"), clock });
  const first = new AbortController();
  const ahead = failure(pets.list({}, { signal: first.signal }));
  const held = await failure(pets.list({}, { signal: AbortSignal.timeout(30) }));
  equal([held.code, held.attempts, held.requestId ?? null], ["deadline_exceeded", 0, null], "while it is held back");
  first.abort();
  equal((await ahead).code, "aborted");
};
