import { textField } from "../../base/json/fields.ts";
import { done, type Result, refused } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Authored } from "../journal.ts";
import { isMet, type Precondition, type PreconditionFailed, tagOfValues } from "../tag.ts";

/** A name for one of the numbers that animals have as their category. */
export interface Category {
  readonly id: bigint;
  readonly name: string;
}

export const CATEGORY_FIELDS = { name: textField(NAME_MAX_CODE_POINTS) };

export const categoryTag = ({ id, name }: Category): string => tagOfValues("category", id, name);

/** A name that a category is to have, whether it has one already or not. */
export interface CategoryNaming extends Category, Authored {
  readonly precondition?: Precondition | undefined;
}

export interface NamedCategory {
  readonly category: Category;
  readonly isNew: boolean;
}

export type NamingRefusal =
  | PreconditionFailed
  /** It was to get a name only if it had none. */
  | { readonly kind: "already_named" }
  /** It was to get another name, and has none. */
  | { readonly kind: "not_named" }
  | { readonly kind: "name_taken"; readonly by: bigint };

/** What becomes of a category. `holder` is the one that has the wanted name, folded. */
export function decideNaming(
  current: Category | undefined,
  holder: Category | undefined,
  { id, name, precondition }: CategoryNaming,
): Result<NamedCategory, NamingRefusal> {
  if (!isMet(precondition, () => current && categoryTag(current))) {
    if (precondition === "absent") return refused({ kind: "already_named" });
    return refused({ kind: current ? "precondition_failed" : "not_named" });
  }
  if (holder !== undefined && holder.id !== id) return refused({ kind: "name_taken", by: holder.id });
  return done({ category: { id, name }, isNew: current === undefined });
}

export interface CategoryDeletion extends Authored {
  readonly id: bigint;
  readonly precondition?: Precondition | undefined;
}

export type CategoryDeletionRefusal = PreconditionFailed | { readonly kind: "no_such_category" };

/** The category whose name may be removed, or why it may not. */
export function decideCategoryDeletion(
  category: Category | undefined,
  { precondition }: CategoryDeletion,
): Result<Category, CategoryDeletionRefusal> {
  if (!category) return refused({ kind: "no_such_category" });
  if (!isMet(precondition, () => categoryTag(category))) return refused({ kind: "precondition_failed" });
  return done(category);
}
