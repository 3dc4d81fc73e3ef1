import { sha256 } from "../../base/runtime/digests.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import type { IdempotencyKey } from "../../domain/idempotency.ts";
import type { Fault } from "../faults/fault.ts";
import { IDEMPOTENCY_IN_PROGRESS, invalidIdempotencyKey } from "../faults/faults.ts";

const MAX_CHARACTERS = 255;
/** Printable ASCII except quotes, commas and backslashes: a header sent twice cannot pass for one. */
const CHARACTER = "[!#-+\\--[\\]-~]";
const VALUE = `${CHARACTER}(?:[ !#-+\\--[\\]-~]{0,${MAX_CHARACTERS - 2}}${CHARACTER})?`;
/** The draft standard has the value in quotes; most clients send it without. */
const HEADER = new RegExp(`^(?:"(${VALUE})"|(${VALUE}))$`);

export const INVALID_IDEMPOTENCY_KEY = invalidIdempotencyKey(MAX_CHARACTERS);

/** The header, as the OpenAPI document describes it. */
export const IDEMPOTENCY_KEY_HEADER = {
  name: "Idempotency-Key",
  description:
    "Makes the request safe to retry: for at least 24 hours, requests with the same value get the first response again, and only the first is carried out. Use a new value, such as a UUID, for each new request: one that was used for a different request gets 422.",
  schema: { type: "string", minLength: 1, maxLength: MAX_CHARACTERS + 2, pattern: HEADER.source },
} as const;

/** Reads an Idempotency-Key header; undefined when there is none. */
export function readIdempotencyKey(header: string | null): string | undefined | Fault {
  if (header === null) return undefined;
  const match = HEADER.exec(header);
  return match ? (match[1] ?? match[2]) : INVALID_IDEMPOTENCY_KEY;
}

/**
 * A digest of the operation, its path parameters and every parsed field of its body, so spelling does not matter. An
 * absent field is null, and trailing nulls are left out: a new field changes no fingerprint since release 1.0.0.
 */
export function fingerprintOf(operation: string, values: readonly unknown[]): string {
  const content = values.map((value) => (value === undefined ? null : String(value)));
  while (content.at(-1) === null) content.pop();
  return sha256(JSON.stringify([operation, ...content]));
}

const WAIT_FOR_FIRST_MS = 1_000;

/** Performs a write whose retries may already be on their way. */
export type WithIdempotency = <Result>(key: IdempotencyKey, write: () => Promise<Result>) => Promise<Result | Fault>;

/**
 * Makes copies of a request that arrive together wait for the first one, and then find its saved response.
 * This is only a courtesy: the store's transaction guarantees that nothing is done twice.
 */
export function createWithIdempotency(waitForFirstMs = WAIT_FOR_FIRST_MS): WithIdempotency {
  const inProgress = new Map<string, Promise<unknown>>();

  return async function withIdempotency({ keyId, value }, write) {
    const id = `${keyId} ${value}`;
    const first = inProgress.get(id);
    if (first && !(await withTimeout(first, waitForFirstMs))) return IDEMPOTENCY_IN_PROGRESS;

    const writing = write();
    const ended = writing.catch(() => {});
    inProgress.set(id, ended);
    try {
      return await writing;
    } finally {
      if (inProgress.get(id) === ended) inProgress.delete(id);
    }
  };
}
