import { type KnownKey, knownKey } from "../../src/access/keyring.ts";
import { done, refused } from "../../src/base/result.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { endOfReplaced } from "../../src/domain/keys/changes.ts";
import { digestOf, newKey, newSecret } from "../../src/domain/keys/key.ts";
import { PLAN_NAMES, QUOTA_RULE } from "../../src/domain/keys/plan.ts";
import { OWN_ROTATIONS_PERIOD_MS, type PresentedSecret, refusalToRotate } from "../../src/domain/keys/rotation.ts";
import { inOrder, isScope, SCOPES } from "../../src/domain/keys/scope.ts";
import { quotasOn } from "../../src/domain/limits/quotas.ts";
import type { KeyStore } from "../../src/store/ports/store.ts";
import type { TestKeyOptions } from "../src/testing.ts";
import type { Once } from "./store/saved-responses.ts";

const BOUNDLESS = { perMinute: 1_000_000, perDay: 1_000_000 };

interface Secret {
  readonly known: KnownKey;
  /** When the holder of the key made it by a rotation. */
  readonly madeByHolderAtMs?: number;
}

/** The keys of a test store, as the gate asks for them and their holders rotate them. */
export function issuedKeys(clock: Clock, once: Once) {
  /** By digest. */
  const secrets = new Map<string, Secret>();

  const rotateOwn: KeyStore["rotateOwn"] = (rotation, idempotencyKey) =>
    once(idempotencyKey, () => {
      const { keyId, presentedDigest, digest, sealedSecret, atMs, oldSecretsExpireAtMs } = rotation;
      const ofKey = [...secrets].filter(([, { known }]) => known.key.id === keyId);
      const madeByHolderAtMs = ofKey
        .map(([, { madeByHolderAtMs = 0 }]) => madeByHolderAtMs)
        .filter((madeAtMs) => madeAtMs > atMs - OWN_ROTATIONS_PERIOD_MS);
      const found = secrets.get(presentedDigest);
      const presented: PresentedSecret | undefined = found && { ...found.known, madeByHolderAtMs };
      const refusal = refusalToRotate(presented, atMs);
      if (refusal) return refused(refusal);
      const { key } = presented as PresentedSecret;
      for (const [old, { known, ...rest }] of ofKey) {
        const expiresAtMs = Math.min(known.secret.expiresAtMs ?? oldSecretsExpireAtMs, oldSecretsExpireAtMs);
        secrets.set(old, { known: knownKey({ key, secret: { expiresAtMs } }), ...rest });
      }
      secrets.set(digest, { known: knownKey({ key, secret: { expiresAtMs: undefined } }), madeByHolderAtMs: atMs });
      return done({ keyId, sealedSecret, oldSecretExpiresAtMs: endOfReplaced(key, oldSecretsExpireAtMs) });
    });

  /** Returns the secret of a new key. */
  const issue = (options: TestKeyOptions): string => {
    const { plan = "business", quotas, scopes = SCOPES, name = "test", rotation = false, expiresAt } = options;
    if (!PLAN_NAMES.includes(plan)) throw new TypeError(`plan is ${plan}. It must be ${PLAN_NAMES.join(", ")}.`);
    const wrong = scopes.find((scope) => !isScope(scope));
    if (wrong !== undefined) throw new TypeError(`scopes has ${wrong}. There are ${SCOPES.join(", ")}.`);
    const expiresAtMs = expiresAt?.getTime();
    if (Number.isNaN(expiresAtMs)) throw new TypeError("expiresAt is not a valid date.");
    const secret = newSecret();
    const key = newKey({
      ...{ name, plan, quotas: agreed(plan, quotas), scopes: inOrder(scopes), mayRotate: rotation },
      ...{ createdAtMs: clock.nowMs(), expiresAtMs },
    });
    secrets.set(digestOf(secret), { known: knownKey({ key, secret: { expiresAtMs: undefined } }) });
    return secret;
  };

  return {
    recall: () => undefined,
    find: (secret: string) => secrets.get(digestOf(secret))?.known,
    noteUse: (key: KnownKey) => {
      key.isUsed = true;
    },
    rotateOwn,
    issue,
  };
}

function agreed(plan: NonNullable<TestKeyOptions["plan"]>, quotas: TestKeyOptions["quotas"]) {
  const result = quotasOn(plan, quotas ?? (plan === "enterprise" ? BOUNDLESS : {}));
  if (result.kind === "done") return result.value;
  const { kind } = result.reason;
  if (kind === "plan_has_fixed_quotas") throw new TypeError(`quotas cannot be given: those of ${plan} are fixed.`);
  if (kind === "minute_exceeds_day") throw new TypeError("quotas has a perMinute that is greater than its perDay.");
  throw new TypeError(`quotas must have perMinute and perDay, each of which ${QUOTA_RULE}.`);
}
