import type { Clock } from "../domain/clock.ts";
import { digestOf, KEY_NAME_MAX_CODE_POINTS, type Key, newKey, newSecret } from "../domain/key.ts";
import type { Mistake } from "../domain/mistake.ts";
import type { Plan } from "../domain/plan.ts";
import { type QuotaRefusal, type QuotaRequest, quotasOn } from "../domain/quotas.ts";
import { done, type Result, refused } from "../domain/result.ts";
import { mistakeInText } from "../domain/text.ts";
import type { KeyStore } from "../store/store.ts";

export interface KeyRequest extends QuotaRequest {
  /** Whom or what the key is for. */
  readonly name: string;
  readonly plan: Plan;
  /** Undefined: never. */
  readonly expiresAtMs?: number | undefined;
}

export type IssueRefusal =
  | { readonly kind: "invalid_name"; readonly mistake: Mistake }
  | { readonly kind: "expiry_not_in_future" }
  | QuotaRefusal;

export interface IssuedKey {
  readonly key: Key;
  /** The only time that it is known: the store keeps a digest. */
  readonly secret: string;
}

interface Parts {
  readonly keys: Pick<KeyStore, "create">;
  readonly clock: Clock;
}

/** Issues a key. A refused request does not touch the store. */
export async function issueKey({ keys, clock }: Parts, request: KeyRequest): Promise<Result<IssuedKey, IssueRefusal>> {
  const drafted = draftKey(request, clock.nowMs());
  if (drafted.kind === "refused") return drafted;
  const key = drafted.value;
  const secret = newSecret();
  await keys.create({ key, digest: digestOf(secret) });
  return done({ key, secret });
}

function draftKey({ name, plan, expiresAtMs, ...requested }: KeyRequest, nowMs: number): Result<Key, IssueRefusal> {
  const mistake = mistakeInText(name, KEY_NAME_MAX_CODE_POINTS);
  if (mistake) return refused({ kind: "invalid_name", mistake });
  if (expiresAtMs !== undefined && !(expiresAtMs > nowMs)) return refused({ kind: "expiry_not_in_future" });
  const quotas = quotasOn(plan, requested);
  if (quotas.kind === "refused") return quotas;
  return done(newKey({ name, plan, quotas: quotas.value, createdAtMs: nowMs, expiresAtMs }));
}
