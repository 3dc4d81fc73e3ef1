import { mistake } from "../mistake.ts";

/**
 * A 64-bit integer as decimal digits, such as `"9007199254740993"`: exact everywhere, and safe in JSON, in a URL and as
 * the key of a map. Two of them are equal when the strings are.
 *
 * @example
 * const pets = new Map<Int64, Pet>();
 */
export type Int64 = string;

/** Names the resource that an id is of. It exists for the compiler alone. */
declare const idOf: unique symbol;

/** Optional, so that any string may be given as an id, but no id of something else. */
type Id<Of extends string> = Int64 & { readonly [idOf]?: Of };

/**
 * The id of an animal. A string can be given as one, and the id of an order or a category cannot.
 *
 * @example
 * const fromUrl: PetId = "42";
 */
export type PetId = Id<"animal">;

/**
 * The id of an order. A string can be given as one, and the id of an animal or a category cannot.
 *
 * @example
 * const fromUrl: OrderId = "7";
 */
export type OrderId = Id<"order">;

/**
 * The number of a category. A string can be given as one, and the id of an animal or an order cannot.
 *
 * @example
 * const dogs: CategoryId = "7";
 */
export type CategoryId = Id<"category">;

/**
 * A 64-bit integer as you may pass it: decimal digits, a bigint, or a number that is a safe integer. `Int64Input<PetId>`
 * is one that may be the id of an animal.
 *
 * @example
 * await store.pets.list({ categoryId: 7 });
 * await store.pets.list({ categoryId: 9007199254740993n });
 * await store.pets.list({ categoryId: "9007199254740993" });
 */
export type Int64Input<Id extends Int64 = Int64> = Id | number | bigint;

/** Returns the digits of an integer, or throws a TypeError that names the field. */
export function int64(value: unknown, field: string): string {
  const digits = typeof value === "object" ? "" : String(value);
  // Digits that are not canonical, or do not fit into 64 bits, do not survive the round trip.
  const isExact = /^-?\d{1,19}$/.test(digits) && String(BigInt.asIntN(64, BigInt(digits))) === digits;
  if (isExact && (typeof value !== "number" || Number.isSafeInteger(value))) return digits;
  throw mistake(
    field,
    value,
    /^-?0\d+$/.test(digits)
      ? "Leave out the leading zeros, so that ids can be compared"
      : "It must be a 64-bit integer: a string, a bigint or a safe integer. Larger ones have lost digits",
  );
}
