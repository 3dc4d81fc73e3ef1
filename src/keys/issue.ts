import { done, type Result, refused } from "../base/result.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import { digestOf, type Key, newKey, newSecret } from "../domain/keys/key.ts";
import type { Plan } from "../domain/keys/plan.ts";
import { inOrder, SCOPES } from "../domain/keys/scope.ts";
import { type QuotaRequest, quotasOn } from "../domain/limits/quotas.ts";
import { type KeyMistakes, mistakesInKey, type WantedProperties } from "./mistake.ts";
import type { ChangeContext, KeyContext } from "./queries/context.ts";

/** A key without requested scopes has all of them, one without a requested expiry has none, and its holder may not rotate it. */
export interface KeyRequest extends QuotaRequest, WantedProperties {
  /** The person or program that the key is for. */
  readonly name: string;
  readonly plan: Plan;
}

export interface IssuedKey {
  readonly key: Key;
  /** It is known only now: the store keeps a digest. */
  readonly secret: string;
}

/** The parts that make a new secret. */
export interface SecretParts<WithSecret> extends ChangeContext, Pick<KeyContext, "environment"> {
  /** Called with the secret before anything is changed. If it fails, nothing changes: nobody would know the secret. */
  readonly deliver?: (made: WithSecret) => Awaitable<void>;
}

/** Issues a key. A refused request does not touch the store. */
export async function issueKey(
  { keys, clock, environment, author, deliver }: SecretParts<IssuedKey>,
  request: KeyRequest,
): Promise<Result<IssuedKey, KeyMistakes>> {
  const drafted = draftKey(request, clock.nowMs());
  if (drafted.kind === "refused") return drafted;
  const key = drafted.value;
  const issued = { key, secret: newSecret(environment) };
  await deliver?.(issued);
  await keys.create({ ...author, atMs: key.createdAtMs, key, digest: digestOf(issued.secret) });
  return done(issued);
}

/** Makes the key that is requested, without storing it. */
export function draftKey(request: KeyRequest, nowMs: number): Result<Key, KeyMistakes> {
  const { name, plan, expiresAtMs, scopes = SCOPES, mayRotate = false, ...requested } = request;
  const quotas = quotasOn(plan, requested);
  const mistakes = mistakesInKey({ name, scopes, expiresAtMs }, quotas, nowMs);
  if (mistakes) return refused(mistakes);
  if (quotas.kind === "refused") return quotas;
  const issued = { createdAtMs: nowMs, expiresAtMs: expiresAtMs ?? undefined };
  return done(newKey({ name, plan, quotas: quotas.value, scopes: inOrder(scopes), mayRotate, ...issued }));
}
