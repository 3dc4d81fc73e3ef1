import type { AnimalStoreError } from "../error.ts";

const BASE_MS = 250;
const CAP_MS = 8_000;

/** Whether the same request may succeed later. Nothing is done twice: a write carries its Idempotency-Key. */
export const isRetriable = ({ code, status = 0 }: AnimalStoreError): boolean =>
  // 502 and 504: a proxy has lost its connection to the service.
  [408, 429, 502, 503, 504].includes(status) || /timeout|connection_failed|in_progress/.test(code);

/** How long to wait after so many failures: exponential backoff with full jitter. */
export const backoffMs = (failures: number, random = Math.random): number =>
  Math.ceil(random() * Math.min(CAP_MS, BASE_MS * 2 ** (failures - 1)));
