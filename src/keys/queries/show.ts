import { done, type Result } from "../../base/result.ts";
import { type DatedSecret, type Key, problemWith, secretWorksUntilMs } from "../../domain/keys/key.ts";
import type { KeyContext } from "./context.ts";
import type { CountedInRedis } from "./counters.ts";
import { onKey } from "./find.ts";
import { type KeyUse, type TrueState, trueStateOf, useOf } from "./use.ts";

/** A secret that works as long as its key does. */
export interface WorkingSecret {
  /** Undefined: not known. */
  readonly createdAtMs: number | undefined;
  /** Undefined: for as long as the key works. */
  readonly worksUntilMs: number | undefined;
}

/** Everything about a key. */
export interface ShownKey {
  readonly key: Key;
  readonly state: TrueState;
  /** Newest first; none of a key that is revoked or expired. */
  readonly secrets: readonly WorkingSecret[];
  readonly use: KeyUse;
}

type Parts = Pick<KeyContext, "keys" | "counters" | "clock">;

export const showKey = onKey(async (parts: Parts, key): Promise<Result<ShownKey, CountedInRedis>> => {
  const { keys, counters, clock } = parts;
  const countedFor = await counters();
  if (countedFor.kind === "refused") return countedFor;
  const [secrets, tallies] = await Promise.all([keys.secretsOf(key.id), countedFor.value([key.id])]);
  const nowMs = clock.nowMs();
  const use = useOf(key, tallies.get(key.id), nowMs);
  return done({
    key,
    state: trueStateOf(key, use.bannedUntilMs, nowMs),
    secrets: secrets
      .filter((secret) => isAccepted(key, secret, nowMs))
      .map((secret) => ({ createdAtMs: secret.createdAtMs, worksUntilMs: secretWorksUntilMs(key, secret) })),
    use,
  });
});

/** Includes the secrets of a suspended key, which work again when it is resumed. */
const isAccepted = (key: Key, secret: DatedSecret, nowMs: number): boolean =>
  problemWith({ ...key, suspendedAtMs: undefined }, secret, nowMs) === undefined;
