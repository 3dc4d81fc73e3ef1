import { parseInt64 } from "../../src/base/json/int64.ts";
import type { AnimalForm, AnimalView, OrderView } from "../../src/console/api/index.ts";
import type { AnimalStatus } from "../../src/domain/stock/animal.ts";
import type { OrderStatus } from "../../src/domain/stock/order.ts";
import { capitalized, type StateLabel } from "./keys.ts";

// Animals, categories and orders in words.

/** A category number, with its name if it has one. */
export interface Category {
  readonly id: string;
  readonly name: string | null;
}

/** Dogs; category 12 */
export const categoryLabel = ({ id, name }: Category): string => name ?? `category ${id}`;

export const categoryOf = ({ categoryId, categoryName }: AnimalView): Category => ({
  id: categoryId,
  name: categoryName,
});

const ANIMAL_TONES = { available: "good", pending: "open", sold: "settled" } as const;

/** Only available animals stand out: pending and sold ones need no action. */
export const animalStatusLabel = (status: AnimalStatus): StateLabel => ({
  text: capitalized(status),
  tone: ANIMAL_TONES[status],
});

const ORDER_TONES = { placed: "good", approved: "open", delivered: "settled", cancelled: "quiet" } as const;

export const orderStatusLabel = (status: OrderStatus): StateLabel => ({
  text: capitalized(status),
  tone: ORDER_TONES[status],
});

/** A number is searched for as an id; anything else as a name. */
export function searchedFor(text: string): { readonly id: string; readonly name: string } {
  const typed = text.trim();
  const isId = parseInt64(typed) !== undefined && !typed.startsWith("-");
  return isId ? { id: typed, name: "" } : { id: "", name: typed };
}

export interface AnimalFilter {
  readonly status: string;
  readonly category: Category | undefined;
  readonly name: string;
  /** The name is searched inside, and not only where it begins. */
  readonly isInside: boolean;
  readonly id: string;
}

/** "all animals"; "available animals of Dogs"; "sold animals whose name begins with Rex"; "animals whose name contains ex" */
export function filterText({ status, category, name, isInside, id }: AnimalFilter): string {
  const which = `${status === "" ? (category || name || id ? "" : "all ") : `${status} `}animals`;
  const parts = [
    category && `of ${categoryLabel(category)}`,
    name !== "" && `whose name ${isInside ? "contains" : "begins with"} “${name}”`,
    id !== "" && `with the id ${id}`,
  ].filter(Boolean);
  return [which, ...parts].join(" ");
}

const FIELDS = ["name", "categoryId", "status"] as const;
const FIELD_LABELS = { name: "name", categoryId: "category", status: "status" } as const;

/** The changes that someone else made, in words: "name Rex → Max, status available → sold". */
export const differences = (before: AnimalForm, after: AnimalForm): string =>
  FIELDS.filter((field) => before[field] !== after[field])
    .map((field) => `${FIELD_LABELS[field]} ${before[field]} → ${after[field]}`)
    .join(", ");

/** Three-way merge: edited fields stay, others take the value that someone else has given them. */
export const rebased = (draft: AnimalForm, before: AnimalForm, now: AnimalForm): AnimalForm => {
  const take = <Field extends keyof AnimalForm>(field: Field): AnimalForm[Field] =>
    draft[field] === before[field] ? now[field] : draft[field];
  return { name: take("name"), categoryId: take("categoryId"), status: take("status") };
};

export const formOf = ({ name, categoryId, status }: AnimalView): AnimalForm => ({ name, categoryId, status });

/** The fields that differ, so that only these are sent. */
export const updateOf = (before: AnimalForm, after: AnimalForm): Partial<AnimalForm> =>
  Object.fromEntries(FIELDS.filter((field) => before[field] !== after[field]).map((field) => [field, after[field]]));

interface MoveLabels {
  /** The button. */
  readonly verb: string;
  /** The note on the card until the move is made. */
  readonly doing: string;
  /** The consequence for the animal. */
  readonly animal: string;
}

/** The move of an order to a status, in words. */
export const MOVE_LABELS: Readonly<Record<OrderStatus, MoveLabels>> = {
  placed: { verb: "Place", doing: "Placing", animal: "is pending" },
  approved: { verb: "Approve", doing: "Approving", animal: "stays pending" },
  delivered: { verb: "Deliver", doing: "Delivering", animal: "becomes sold" },
  cancelled: { verb: "Cancel", doing: "Cancelling", animal: "becomes available again" },
};

const isOlder = (a: OrderView, b: OrderView): boolean => BigInt(a.id) < BigInt(b.id);
const newestFirst = (a: OrderView, b: OrderView): number => (isOlder(a, b) ? 1 : -1);

/** Merges a reloaded first page: it replaces all orders in its range, and older ones stay. */
export function withFirstPage(
  known: readonly OrderView[],
  page: { readonly items: readonly OrderView[]; readonly next: string | null },
): readonly OrderView[] {
  const oldest = page.items.at(-1);
  if (page.next === null || !oldest) return page.items;
  return [...page.items, ...known.filter((order) => isOlder(order, oldest))];
}

/** The orders of one status, including moves that the list does not reflect yet. */
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

/**
 * Divides the orders of a column: new ones are held back until the user asks for them, as they would push others away.
 * Orders that the user has moved there, and the first ones in an empty column, are shown at once.
 */
export function heldBack(
  orders: readonly OrderView[],
  shown: ReadonlySet<string>,
  moved: ReadonlyMap<string, OrderView>,
): { readonly orders: readonly OrderView[]; readonly newcomers: readonly OrderView[] } {
  const isShown = ({ id }: OrderView): boolean => shown.has(id) || moved.has(id);
  return orders.some(isShown)
    ? { orders: orders.filter(isShown), newcomers: orders.filter((order) => !isShown(order)) }
    : { orders, newcomers: [] };
}
