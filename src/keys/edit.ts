import { done, type Result, refused } from "../base/result.ts";
import type { Key, KeyChange } from "../domain/keys/key.ts";
import type { Plan } from "../domain/keys/plan.ts";
import { inOrder } from "../domain/keys/scope.ts";
import { changedQuotas, type QuotaRequest } from "../domain/limits/quotas.ts";
import { type KeyMistakes, mistakesInKey, type WantedProperties } from "./mistake.ts";
import type { ChangeContext } from "./queries/context.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";
import type { KeyEnded } from "./suspend.ts";

/** The changes; an undefined property stays as it is. */
export interface KeyEdit extends QuotaRequest, WantedProperties {
  readonly idOrName: string;
  /** Brings the plan's quotas with it. */
  readonly plan?: Plan | undefined;
}

export type EditRefusal = FindRefusal | { readonly kind: "nothing_to_change" } | KeyEnded | KeyMistakes;

export interface EditedKey {
  readonly before: Key;
  /** The key after the edit; equal to `before` if nothing differs. */
  readonly key: Key;
}

/** Changes a key, and keeps its secrets and counters. A refused edit changes nothing. */
export async function editKey(
  { keys, clock, author }: ChangeContext,
  edit: KeyEdit,
): Promise<Result<EditedKey, EditRefusal>> {
  const { idOrName, ...wanted } = edit;
  if (Object.values(wanted).every((value) => value === undefined)) return refused({ kind: "nothing_to_change" });
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const before = found.value;
  if (before.revokedAtMs !== undefined) return refused({ kind: "ended", state: "revoked", key: before });
  const atMs = clock.nowMs();
  const change = changeOf(before, wanted, atMs);
  if (change.kind === "refused") return change;
  const key = await keys.edit({ ...author, ...change.value, atMs });
  return key ? done({ before, key }) : refused({ kind: "no_such_key", suggestion: undefined });
}

function changeOf(key: Key, wanted: Omit<KeyEdit, "idOrName">, nowMs: number): Result<KeyChange, KeyMistakes> {
  const { name, plan, scopes, mayRotate, expiresAtMs, ...requested } = wanted;
  const quotas = changedQuotas(key, plan, requested);
  const mistakes = mistakesInKey({ name, scopes, expiresAtMs }, quotas, nowMs);
  if (mistakes) return refused(mistakes);
  if (quotas.kind === "refused") return quotas;
  return done({
    keyId: key.id,
    ...(name === undefined ? {} : { name }),
    // Both together: two edits at once must not leave the plan of one with the quotas of the other.
    ...(quotas.value ? { plan: plan ?? key.plan, quotas: quotas.value } : {}),
    ...(scopes === undefined ? {} : { scopes: inOrder(scopes) }),
    ...(mayRotate === undefined ? {} : { mayRotate }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });
}
