import { done, refused } from "../../../src/base/result.ts";
import type { Animal, AnimalStatus } from "../../../src/domain/stock/animal.ts";
import {
  decideOrderUpdate,
  type Order,
  PLACING,
  placedOrder,
  refusalToPlace,
} from "../../../src/domain/stock/order.ts";
import type { OrderStore } from "../../../src/store/ports/orders.ts";
import { pageById } from "./lists.ts";
import type { Once } from "./saved-responses.ts";
import type { Tables } from "./tables.ts";

export function orderStore({ animals, orders }: Tables, once: Once): OrderStore {
  let latestId = 0n;
  const move = (animalId: bigint, status: AnimalStatus): void =>
    void animals.set(animalId, { ...(animals.get(animalId) as Animal), status });
  return {
    list: (query) => {
      const { status, animalId, reference } = query;
      const matches = (order: Order): boolean =>
        (status === undefined || order.status === status) &&
        (animalId === undefined || order.animalId === animalId) &&
        (reference === undefined || order.reference === reference);
      return pageById([...orders.values()].filter(matches), query);
    },
    get: (id) => orders.get(id),
    // No client sees who placed or moved an order, so nothing of it is recorded here.
    getRecord: (id) => {
      const order = orders.get(id);
      return order && { order, placedBy: undefined, moves: [] };
    },
    place: (placement, key) =>
      once(key, () => {
        const refusal = refusalToPlace(animals.get(placement.animalId)?.status);
        if (refusal) return refused(refusal);
        const order = { id: ++latestId, ...placedOrder(placement) };
        orders.set(order.id, order);
        move(order.animalId, PLACING.to);
        return done(order);
      }),
    update: (update, key) =>
      once(key, () => {
        const decision = decideOrderUpdate(orders.get(update.orderId), update);
        if (decision.kind === "refused") return decision;
        const { order, animalStatus } = decision.value;
        orders.set(order.id, order);
        move(order.animalId, animalStatus);
        return done(order);
      }),
  };
}
