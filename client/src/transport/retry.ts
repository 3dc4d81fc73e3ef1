import type { AnimalStoreError } from "../error.ts";

const BASE_MS = 250;
const CAP_MS = 8_000;

/** True if the same request may succeed later. Writes are safe to repeat: they carry an Idempotency-Key. */
export const isRetriable = ({ code, status = 0 }: AnimalStoreError): boolean =>
  // 502 and 504 come from a proxy that lost its connection to the service.
  [408, 429, 502, 503, 504].includes(status) || /timeout|connection_failed|in_progress/.test(code);

/** Exponential backoff with full jitter. */
export const backoffMs = (failures: number, random = Math.random): number =>
  Math.ceil(random() * Math.min(CAP_MS, BASE_MS * 2 ** (failures - 1)));
