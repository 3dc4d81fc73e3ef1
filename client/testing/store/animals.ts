import { done } from "../../../src/base/result.ts";
import { jsonPageOf, type Listed, type Page } from "../../../src/domain/page.ts";
import {
  type Animal,
  decideAnimalDeletion,
  decideAnimalUpdate,
  type NewAnimal,
} from "../../../src/domain/stock/animal.ts";
import { OPEN_ORDER_STATUSES, type OrderStatus } from "../../../src/domain/stock/order.ts";
import type { AnimalQuery, AnimalStore } from "../../../src/store/ports/animals.ts";
import { pageById, pageByName } from "./lists.ts";
import type { Once } from "./saved-responses.ts";
import type { Tables } from "./tables.ts";

export function animalStore({ animals, orders }: Tables, once: Once): AnimalStore {
  let latestId = 0n;
  const insert = (animal: NewAnimal): Animal => {
    const added = { id: ++latestId, ...animal };
    animals.set(added.id, added);
    return added;
  };
  const ordersOf = (id: bigint) => [...orders.values()].filter(({ animalId }) => animalId === id);
  const isOpen = ({ status }: { readonly status: OrderStatus }): boolean =>
    (OPEN_ORDER_STATUSES as readonly OrderStatus[]).includes(status);
  const list = (query: AnimalQuery): Page<Listed<Animal>> => {
    const { ids, status, categoryId, name, sort } = query;
    const rows = [...animals.values()].filter(
      (animal) =>
        (status === undefined || animal.status === status) &&
        (categoryId === undefined || animal.categoryId === categoryId) &&
        (ids === undefined || ids.includes(animal.id)),
    );
    if (sort === "name" || sort === "-name") return pageByName(rows, { ...query, name: name ?? "", sort });
    return name === undefined ? pageById(rows, { ...query, sort }) : pageByName(rows, { ...query, name, sort: "name" });
  };
  return {
    list,
    listJson: (query, { jsonOf }) => jsonPageOf(list(query), jsonOf),
    get: (id) => animals.get(id),
    create: (animal, key) => once(key, () => done(insert(animal))),
    add: async ({ animal }) => insert(animal),
    update: (update, key) =>
      once(key, () => {
        const decision = decideAnimalUpdate(animals.get(update.id), () => ordersOf(update.id).some(isOpen), update);
        if (decision.kind === "done") animals.set(update.id, decision.value);
        return decision;
      }),
    delete: (deletion, key) =>
      once(key, () => {
        const { id } = deletion;
        const decision = decideAnimalDeletion(animals.get(id), () => ordersOf(id).length > 0, deletion);
        if (decision.kind === "done") animals.delete(id);
        return decision;
      }),
  };
}
