import type { UnusableDatabase } from "../urls/unusable-database.ts";

/** Why a copy is not made, or not finished. */
export type CopyRefusal =
  | { readonly kind: "same_database"; readonly database: string }
  | { readonly kind: "unusable"; readonly side: "source" | "target"; readonly problem: UnusableDatabase }
  /** A copy into the target was finished earlier. */
  | { readonly kind: "already_copied" }
  | { readonly kind: "not_empty" }
  /** A copy of a whole store into the target was begun, and animals alone are to be copied. */
  | { readonly kind: "whole_copy_unfinished" }
  /** Orders of the target refer to the animals that would be replaced. */
  | { readonly kind: "has_orders" }
  /** The target has animals or categories, which may not be replaced. */
  | { readonly kind: "has_animals"; readonly table: string }
  | { readonly kind: "differs"; readonly table: string; readonly sourceRows: number; readonly targetRows: number }
  /** Something failed on the way. The same copy continues it. */
  | { readonly kind: "interrupted"; readonly reason: string };

/** Thrown by a copy. The command words the reason. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";

  constructor(readonly reason: CopyRefusal) {
    super(`the copy was refused: ${JSON.stringify(reason)}`);
  }
}
