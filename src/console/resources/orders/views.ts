import { READS_KEYS, type Role } from "../../../domain/console-role.ts";
import type { Key } from "../../../domain/keys/key.ts";
import type { Order } from "../../../domain/stock/order.ts";
import { type OrderActor, type OrderRecord, stepsOf } from "../../../domain/stock/order-history.ts";
import type { Store } from "../../../store/ports/store.ts";
import type { OrderActorView, OrderDetailView, OrderView } from "../../api/index.ts";

/** Adds the names of their animals, in one look-up. */
export async function orderViews(
  { animals }: Pick<Store, "animals">,
  orders: readonly Order[],
): Promise<readonly OrderView[]> {
  const ids = [...new Set(orders.map(({ animalId }) => animalId))];
  const found = ids.length === 0 ? [] : (await animals.list({ ids, size: ids.length })).rows;
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return orders.map(({ id, animalId, status, reference, placedAtMs, updatedAtMs }) => ({
    id: String(id),
    petId: String(animalId),
    animalName: names.get(animalId) ?? null,
    status,
    reference: reference ?? null,
    placedAtMs,
    updatedAtMs,
  }));
}

/** Adds the names of the keys that placed and moved it, and their ids if the role sees the pages of keys. */
export async function orderDetailView(store: Pick<Store, "animals" | "keys">, record: OrderRecord, role: Role) {
  const steps = stepsOf(record);
  const keyIds = new Set(steps.flatMap(({ by }) => (by && "keyId" in by ? [by.keyId] : [])));
  const [[view], keys] = await Promise.all([
    orderViews(store, [record.order]),
    Promise.all([...keyIds].map((id) => store.keys.get(id))),
  ]);
  const known = new Map(keys.flatMap((key) => (key ? [[key.id, key]] : [])));
  return {
    ...(view as OrderView),
    steps: steps.map(({ status, atMs, by }) => ({
      status,
      atMs: atMs ?? null,
      by: by ? actorView(by, known, role) : null,
    })),
  } satisfies OrderDetailView;
}

const actorView = (by: OrderActor, keys: ReadonlyMap<string, Key>, role: Role): OrderActorView =>
  "keyId" in by
    ? { kind: "key", id: READS_KEYS.includes(role) ? by.keyId : null, name: keys.get(by.keyId)?.name ?? null }
    : { kind: "person", ...by };
