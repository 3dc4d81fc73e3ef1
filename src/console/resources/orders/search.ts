import { parseInt64 } from "../../../base/json/int64.ts";
import type { IdOrder, Position } from "../../../domain/page.ts";
import { ANIMAL_STATUSES } from "../../../domain/stock/animal.ts";
import { fold } from "../../../domain/stock/fold.ts";
import type { Order, OrderStatus } from "../../../domain/stock/order.ts";
import type { OrderQuery, Store } from "../../../store/ports/store.ts";

interface OrderSearch {
  /** A number is searched for as an id, too. */
  readonly text: string;
  readonly status: OrderStatus | undefined;
  readonly sort: IdOrder;
  readonly after: Position | undefined;
  readonly size: number;
}

interface FoundOrders {
  readonly rows: readonly Order[];
  readonly more: boolean;
  readonly hasMoreAnimals: boolean;
}

/** For so many animals of each status, orders are looked for: each is a search in an index, whatever there is. */
const ANIMALS_OF_A_STATUS = 8;

/**
 * Finds orders by their id or whole reference, and by the id of their animal or the beginning of its name. Each list is
 * read from where the page begins and no further, so no search scans.
 */
export async function searchOrders(
  { orders, animals }: Pick<Store, "orders" | "animals">,
  { text, status, sort, after, size }: OrderSearch,
): Promise<FoundOrders> {
  const id = parseInt64(text);
  const list = (query: Partial<OrderQuery>) => orders.list({ ...query, status, sort, after, size });
  const named = await Promise.all(
    ANIMAL_STATUSES.map((of) => animals.list({ name: fold(text), status: of, size: ANIMALS_OF_A_STATUS })),
  );
  const animalIds = new Set(named.flatMap(({ rows }) => rows.map((animal) => animal.id)));
  if (id !== undefined) animalIds.add(id);
  const [own, ...pages] = await Promise.all([
    id === undefined ? undefined : orders.get(id),
    list({ reference: text }),
    ...[...animalIds].map((animalId) => list({ animalId })),
  ]);
  const isBefore = (a: Position, b: Position): boolean => (sort === "-id" ? a.id > b.id : a.id < b.id);
  const isInPage = (order: Order): boolean =>
    (status === undefined || order.status === status) && (after === undefined || isBefore(after, order));
  const found = new Map(pages.flatMap(({ rows }) => rows.map((order) => [order.id, order])));
  if (own && isInPage(own)) found.set(own.id, own);
  const inOrder = [...found.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return {
    rows: inOrder.slice(0, size),
    more: inOrder.length > size || pages.some(({ more }) => more),
    hasMoreAnimals: named.some(({ more }) => more),
  };
}
