import { parseInt64 } from "../../src/base/json/int64.ts";
import type { AnimalForm, AnimalView, OrderView } from "../../src/console/api/index.ts";
import type { AnimalStatus } from "../../src/domain/stock/animal.ts";
import type { OrderStatus } from "../../src/domain/stock/order.ts";
import { capitalized, type StateWords } from "./keys.ts";

// What there is to say about animals, their categories, and orders.

/** A number that animals carry, with the name that it may have. */
export interface Category {
  readonly id: string;
  readonly name: string | null;
}

/** Dogs; category 12 */
export const categoryWords = ({ id, name }: Category): string => name ?? `category ${id}`;

export const categoryOf = ({ categoryId, categoryName }: AnimalView): Category => ({
  id: categoryId,
  name: categoryName,
});

/** Nobody has to do anything about an animal that waits or is sold: only what can be sold stands out. */
export const animalStatusWords = (status: AnimalStatus): StateWords => ({
  text: capitalized(status),
  tone: status === "available" ? "good" : "quiet",
});

/** A text that is a number may be an id; anything else is the beginning of a name. */
export function searchedFor(text: string): { readonly id: string; readonly name: string } {
  const typed = text.trim();
  const isId = parseInt64(typed) !== undefined && !typed.startsWith("-");
  return isId ? { id: typed, name: "" } : { id: "", name: typed };
}

export interface AnimalFilterWords {
  readonly status: string;
  readonly category: Category | undefined;
  readonly name: string;
  readonly id: string;
}

/** "all animals"; "available animals of Dogs"; "sold animals whose name begins with Rex" */
export function filterWords({ status, category, name, id }: AnimalFilterWords): string {
  const which = `${status === "" ? (category || name || id ? "" : "all ") : `${status} `}animals`;
  const parts = [
    category && `of ${categoryWords(category)}`,
    name !== "" && `whose name begins with “${name}”`,
    id !== "" && `with the id ${id}`,
  ].filter(Boolean);
  return [which, ...parts].join(" ");
}

const FIELDS = ["name", "categoryId", "status"] as const;
const FIELD_WORDS = { name: "name", categoryId: "category", status: "status" } as const;

/** What somebody else has changed, in words: "name Rex → Max, status available → sold". */
export const differences = (before: AnimalForm, after: AnimalForm): string =>
  FIELDS.filter((field) => before[field] !== after[field])
    .map((field) => `${FIELD_WORDS[field]} ${before[field]} → ${after[field]}`)
    .join(", ");

/** What was typed stays; what was not touched follows what somebody else has made of it. */
export const rebased = (draft: AnimalForm, before: AnimalForm, now: AnimalForm): AnimalForm => {
  const take = <Field extends keyof AnimalForm>(field: Field): AnimalForm[Field] =>
    draft[field] === before[field] ? now[field] : draft[field];
  return { name: take("name"), categoryId: take("categoryId"), status: take("status") };
};

export const formOf = ({ name, categoryId, status }: AnimalView): AnimalForm => ({ name, categoryId, status });

/** Only what differs is sent. */
export const updateOf = (before: AnimalForm, after: AnimalForm): Partial<AnimalForm> =>
  Object.fromEntries(FIELDS.filter((field) => before[field] !== after[field]).map((field) => [field, after[field]]));

/** The button that moves an order, and what is said once that is done. */
export const MOVE_WORDS: Readonly<Record<OrderStatus, { readonly verb: string; readonly animal: string }>> = {
  placed: { verb: "Place", animal: "is pending" },
  approved: { verb: "Approve", animal: "stays pending" },
  delivered: { verb: "Deliver", animal: "becomes sold" },
  cancelled: { verb: "Cancel", animal: "becomes available again" },
};

const isOlder = (a: OrderView, b: OrderView): boolean => BigInt(a.id) < BigInt(b.id);
const newestFirst = (a: OrderView, b: OrderView): number => (isOlder(a, b) ? 1 : -1);

/** A first page that was asked for again: it decides about everything that is as new as it; what is older stays. */
export function withFirstPage(
  known: readonly OrderView[],
  page: { readonly items: readonly OrderView[]; readonly next: string | null },
): readonly OrderView[] {
  const oldest = page.items.at(-1);
  if (page.next === null || !oldest) return page.items;
  return [...page.items, ...known.filter((order) => isOlder(order, oldest))];
}

/** Those of one status, by what moves were answered with, until the list itself says so. */
export function inStatus(
  status: OrderStatus,
  listed: readonly OrderView[],
  moved: ReadonlyMap<string, OrderView>,
): readonly OrderView[] {
  const latest = (order: OrderView): OrderView => {
    const other = moved.get(order.id);
    return other && other.updatedAtMs >= order.updatedAtMs ? other : order;
  };
  const ids = new Set(listed.map(({ id }) => id));
  const arrived = [...moved.values()].filter((order) => !ids.has(order.id));
  return [...listed.map(latest), ...arrived].filter((order) => order.status === status).sort(newestFirst);
}
