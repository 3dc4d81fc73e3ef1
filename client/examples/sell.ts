// Sells one available animal of a category: the first one that nobody else orders in the meantime.
// Usage: node sell.ts CATEGORY REFERENCE   (such as 7 INV-2026-0042)
// Runs as it is on Node 22.18 and newer, on Bun and on Deno.

import { AnimalStore, AnimalStoreError, type Order, type Pet } from "animal-store-client";

const [categoryId, reference] = process.argv.slice(2);
if (!categoryId || !reference) {
  console.error("Usage: sell CATEGORY REFERENCE");
  process.exit(2);
}

const store = new AnimalStore({ userAgent: "sell/1.0" });
const earlier = await everyOrder(reference);
// An earlier run may have placed the order and stopped there.
const open = earlier.find(({ status }) => status !== "cancelled");
// After a cancellation the sale may be made again. It is then a new one, with new idempotency keys.
const order = open ?? (await firstPossible(categoryId, reference, `${reference}-${earlier.length}`));
if (!order) {
  console.error(`No animal of category ${categoryId} is available.`);
  process.exit(1);
}
if (order.status === "placed") await store.orders.approve(order.id);
console.log(`Order ${order.id}: animal ${order.petId} is sold as ${reference}.`);

async function everyOrder(reference: string): Promise<Order[]> {
  const orders: Order[] = [];
  for await (const order of store.orders.list({ reference })) orders.push(order);
  return orders;
}

async function firstPossible(categoryId: string, reference: string, sale: string): Promise<Order | undefined> {
  for await (const pet of store.pets.list({ categoryId, status: "available" })) {
    const order = await tryOrder(pet, reference, sale);
    if (order) return order;
  }
  return undefined;
}

/** Returns undefined if somebody else has ordered or removed the animal since it was listed. */
async function tryOrder({ id: petId }: Pet, reference: string, sale: string): Promise<Order | undefined> {
  try {
    return await store.orders.place({ petId, reference }, { idempotencyKey: `${sale}-${petId}` });
  } catch (error) {
    const isGone = error instanceof AnimalStoreError && ["pet_not_available", "pet_not_found"].includes(error.code);
    if (!isGone) throw error;
    return undefined;
  }
}
