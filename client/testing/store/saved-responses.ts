import type { Result } from "../../../src/base/result.ts";
import {
  type IdempotencyKey,
  type IdempotentResult,
  replayOf,
  type SavedResponse,
  savedResponsesExpireAtMs,
} from "../../../src/domain/idempotency.ts";

/** Performs a write at once; a retry gets the response that was saved. */
export type Once = <Value, Reason>(
  key: IdempotencyKey | undefined,
  write: () => Result<Value, Reason>,
) => Promise<IdempotentResult<Value, Reason>>;

export function idempotency(): Once {
  const responses = new Map<string, SavedResponse<unknown>>();
  return async <Value, Reason>(key: IdempotencyKey | undefined, write: () => Result<Value, Reason>) => {
    if (!key) return write();
    const id = `${key.keyId} ${key.value}`;
    const saved = responses.get(id) as SavedResponse<Value> | undefined;
    const isKept = saved !== undefined && saved.savedAtMs > savedResponsesExpireAtMs(key.nowMs);
    const replay = replayOf(isKept ? saved : undefined, key);
    if (replay) return replay;
    const result = write();
    if (result.kind === "done") {
      const { fingerprint, nowMs: savedAtMs } = key;
      responses.set(id, { fingerprint, savedAtMs, content: { kind: "value", value: result.value } });
    }
    return result;
  };
}
