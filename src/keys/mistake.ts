import { Mistake } from "../base/mistake.ts";
import type { Result } from "../base/result.ts";
import { mistakeInText } from "../base/text/text.ts";
import { isKeyId, KEY_NAME_MAX_CODE_POINTS } from "../domain/keys/key.ts";
import type { Scope } from "../domain/keys/scope.ts";
import type { QuotaRefusal } from "../domain/limits/quotas.ts";

/** A mistake in the properties of a new key, or in changes to an existing one. */
export type KeyMistake =
  | { readonly kind: "invalid_name"; readonly mistake: Mistake }
  | { readonly kind: "expiry_not_in_future" }
  | { readonly kind: "no_scopes" }
  | QuotaRefusal;

/** The first mistake, and any others, so that all can be mended at once. */
export type KeyMistakes = KeyMistake & { readonly others?: readonly KeyMistake[] };

/** The properties of a key, apart from its plan and quotas; an undefined one is not asked for. */
export interface WantedProperties {
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly mayRotate?: boolean | undefined;
  /** Null: never. */
  readonly expiresAtMs?: number | null | undefined;
}

/** Finds the mistakes in all properties, given the outcome for the quotas. */
export function mistakesInKey(
  { name, scopes, expiresAtMs }: WantedProperties,
  quotas: Result<unknown, QuotaRefusal>,
  nowMs: number,
): KeyMistakes | undefined {
  const mistakes: KeyMistake[] = [];
  const mistake = name === undefined ? undefined : mistakeInName(name);
  if (mistake) mistakes.push({ kind: "invalid_name", mistake });
  if (typeof expiresAtMs === "number" && !(expiresAtMs > nowMs)) mistakes.push({ kind: "expiry_not_in_future" });
  if (scopes?.length === 0) mistakes.push({ kind: "no_scopes" });
  if (quotas.kind === "refused") mistakes.push(quotas.reason);
  const [first, ...others] = mistakes;
  return first && others.length > 0 ? { ...first, others } : first;
}

/** Keys are looked up by name, so a name must be easy to type, and not look like an id. Older names may break the rule. */
function mistakeInName(name: string): Mistake | undefined {
  const mistake = mistakeInText(name, KEY_NAME_MAX_CODE_POINTS);
  if (mistake) return mistake;
  if (name !== name.trim()) return new Mistake("must not begin or end with a space");
  return isKeyId(name) ? new Mistake("must not look like the id of a key") : undefined;
}
