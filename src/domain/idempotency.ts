import type { Result } from "../base/result.ts";
import { DAY_MS } from "../base/time/clock.ts";

/** Makes a write safe to retry: of all requests with the same one, only the first is carried out. */
export interface IdempotencyKey {
  /** The API key it belongs to: every key has its own. */
  readonly keyId: string;
  /** The text that the client chose. */
  readonly value: string;
  /** Digest of the request: it tells a retry from a different request with the same value. */
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** The saved part of a response, which answers a retry. */
export type SavedContent<Value> =
  /** The value that the write returned. */
  | { readonly kind: "value"; readonly value: Value }
  /** Release 1.0.0 saved the response itself. */
  | { readonly kind: "rendered"; readonly status: number; readonly body: string; readonly location: string };

export interface SavedResponse<Value> {
  readonly fingerprint: string;
  readonly savedAtMs: number;
  readonly content: SavedContent<Value>;
}

export type Replay<Value> =
  | { readonly kind: "replay"; readonly content: SavedContent<Value> }
  /** The idempotency key was used for a different request. */
  | { readonly kind: "mismatch" };

/** The outcome of a write with an idempotency key: carried out now, refused, or answered before. */
export type IdempotentResult<Value, Reason = never> = Result<Value, Reason> | Replay<Value>;

/** Responses saved up to this moment, a day ago, may be deleted. */
export const savedResponsesExpireAtMs = (nowMs: number): number => nowMs - DAY_MS;

/**
 * The reply to a request whose idempotency key was used before; undefined if it is to be carried out. Only the sweep judges
 * how old a saved response is, because it distrusts a clock that has jumped: as long as there is one, it is replayed.
 */
export function replayOf<Value>(
  saved: SavedResponse<Value> | undefined,
  key: IdempotencyKey,
): Replay<Value> | undefined {
  if (!saved) return undefined;
  return saved.fingerprint === key.fingerprint ? { kind: "replay", content: saved.content } : { kind: "mismatch" };
}
