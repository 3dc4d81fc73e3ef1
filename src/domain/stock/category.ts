import { textField } from "../../base/json/fields.ts";
import { done, type Result, refused } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Authored } from "../journal.ts";
import { type Conditional, isMet, type PreconditionFailed, tagOfValues } from "../tag.ts";

/** A name for one of the numbers that animals have as their category. */
export interface Category {
  readonly id: bigint;
  readonly name: string;
}

export const CATEGORY_FIELDS = { name: textField(NAME_MAX_CODE_POINTS) };

export const categoryTag = ({ id, name }: Category): string => tagOfValues("category", id, name);

/** A request to name a category, whether it has a name already or not. */
export interface CategoryNaming extends Category, Authored, Conditional {}

export interface NamedCategory {
  readonly category: Category;
  readonly isNew: boolean;
}

export type NamingRefusal =
  | PreconditionFailed
  /** The precondition was that it had no name. */
  | { readonly kind: "already_named" }
  /** The precondition was that it had a name. */
  | { readonly kind: "not_named" }
  | { readonly kind: "name_taken"; readonly by: bigint };

/** The category with its new name, or why that is refused. `holder` is the category that has this name, folded. */
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

export interface CategoryDeletion extends Authored, Conditional {
  readonly id: bigint;
}

export type CategoryDeletionRefusal = PreconditionFailed | { readonly kind: "no_such_category" };

/** The category whose name is deleted, or why the deletion is refused. */
export function decideCategoryDeletion(
  category: Category | undefined,
  { precondition }: CategoryDeletion,
): Result<Category, CategoryDeletionRefusal> {
  if (!category) return refused({ kind: "no_such_category" });
  if (!isMet(precondition, () => categoryTag(category))) return refused({ kind: "precondition_failed" });
  return done(category);
}
