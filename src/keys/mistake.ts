import { Mistake } from "../base/mistake.ts";
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

/** The properties of a key, apart from its plan and quotas; an undefined one is not asked for. */
export interface WantedProperties {
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Null: never. */
  readonly expiresAtMs?: number | null | undefined;
}

/** Finds a mistake in any property but the quotas. */
export function mistakeInKey({ name, scopes, expiresAtMs }: WantedProperties, nowMs: number): KeyMistake | undefined {
  const mistake = name === undefined ? undefined : mistakeInName(name);
  if (mistake) return { kind: "invalid_name", mistake };
  if (typeof expiresAtMs === "number" && !(expiresAtMs > nowMs)) return { kind: "expiry_not_in_future" };
  return scopes?.length === 0 ? { kind: "no_scopes" } : undefined;
}

/** Keys are looked up by name, so a name must be easy to type, and not look like an id. Older names may break the rule. */
function mistakeInName(name: string): Mistake | undefined {
  const mistake = mistakeInText(name, KEY_NAME_MAX_CODE_POINTS);
  if (mistake) return mistake;
  if (name !== name.trim()) return new Mistake("must not begin or end with a space");
  return isKeyId(name) ? new Mistake("must not look like the id of a key") : undefined;
}
