import type { Pet } from "../../src/index.ts";
import type { Everywhere } from "./env.ts";

export const everyOperation = async ({ store, equal, unique }: Everywhere): Promise<void> => {
  const { pets, categories, orders, key } = withKey(store());
  const categoryId = String(1_000_000 + Math.floor(Math.random() * 1e9));
  const rex = await pets.create({ name: "Rex", categoryId, status: "pending" });
  equal(rex, { id: rex.id, name: "Rex", categoryId, status: "pending" }, "what was created");
  equal(await pets.update(rex.id, { name: "Rexi", status: "available" }), {
    ...rex,
    name: "Rexi",
    status: "available",
  });
  equal((await pets.get(rex.id)).name, "Rexi");
  equal((await pets.list({ id: [rex.id] })).items.length, 1);

  const name = `Dogs ${unique()}`;
  equal(await categories.put(categoryId, { name }), { id: categoryId, name });
  equal(await categories.get(categoryId), { id: categoryId, name });
  equal((await categories.list({ name })).items, [{ id: categoryId, name }]);
  equal(await categories.delete(categoryId), undefined);

  const order = await orders.place({ petId: rex.id, reference: "INV-1" });
  equal([order.petId, order.status, order.reference], [rex.id, "placed", "INV-1"]);
  equal((await orders.approve(order.id)).status, "approved");
  equal((await orders.cancel(order.id)).status, "cancelled");
  const second = await orders.place({ petId: rex.id });
  equal((await orders.update(second.id, { status: "approved" })).status, "approved");
  equal((await orders.deliver(second.id)).status, "delivered");
  equal((await orders.get(second.id)).status, "delivered");
  equal(
    (await orders.list({ petId: rex.id, sort: "-id" })).items.map(({ id }) => id),
    [second.id, order.id],
  );
  const mia = await pets.create({ name: "Mia", categoryId });
  equal(await pets.delete(mia.id), undefined);
  equal((await key()).plan, "enterprise");
};

const withKey = (store: ReturnType<Everywhere["store"]>) => ({
  pets: store.pets,
  categories: store.categories,
  orders: store.orders,
  key: () => store.key(),
});

export const largeIdsAreExact = async ({ store, equal }: Everywhere): Promise<void> => {
  const { pets, categories } = store();
  for (const categoryId of ["9223372036854775807", 9007199254740993n, "-9223372036854775808", -7, 0]) {
    const pet = await pets.create({ name: '"id":9007199254740993}', categoryId });
    equal([pet.categoryId, pet.name], [String(categoryId), '"id":9007199254740993}']);
    const found: Pet[] = [];
    for await (const one of pets.list({ categoryId, sort: "-id", limit: 100 })) found.push(one);
    equal(found[0], pet, "what is found by its category");
    equal((await pets.list({ id: BigInt(pet.id) })).items, [pet]);
  }
  await categories.put("9223372036854775807", { name: "The last" });
  equal(await categories.get(9223372036854775807n), { id: "9223372036854775807", name: "The last" });
  const refused = await pets.create({ name: "x", categoryId: 2 ** 53 }).then(String, (error) => error);
  equal([refused instanceof TypeError, /lost digits/.test(refused.message)], [true, true], "a number that was rounded");
};

export const listsAreReadPageByPageOrWhole = async ({ store, equal }: Everywhere): Promise<void> => {
  const { pets } = store();
  const categoryId = 2_000_000_000 + Math.floor(Math.random() * 1e9);
  for (let i = 0; i < 7; i++) await pets.create({ name: `pet ${i}`, categoryId });
  const names = (items: readonly Pet[]): string[] => items.map(({ name }) => name);
  const first = await pets.list({ categoryId, limit: 3 });
  equal(names(first.items), ["pet 0", "pet 1", "pet 2"]);
  const second = await first.next();
  equal(names(second?.items ?? []), ["pet 3", "pet 4", "pet 5"]);
  const last = await second?.next();
  equal([names(last?.items ?? []), last?.nextCursor ?? "none"], [["pet 6"], "none"]);
  equal((await last?.next()) ?? "none", "none", "what comes after the last page");
  equal(names((await pets.list({ categoryId, cursor: first.nextCursor })).items).length, 4);
  const seen: string[] = [];
  for await (const { name } of pets.list({ categoryId, limit: 2 })) seen.push(name);
  equal(seen.length, 7, "all pages");
  for await (const { name } of pets.list({ categoryId, limit: 2 })) if (seen.push(name) === 9) break;
  equal(seen.slice(7), ["pet 0", "pet 1"]);
};

export const onlyWhatHasChangedIsReadAndOnlyWhatHasNotIsWritten = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure } = env;
  const { pets } = store();
  const { data: rex, etag = "" } = await pets.create({ name: "Rex", categoryId: 1 }).withResponse();
  equal((await pets.get(rex.id, { ifNoneMatch: etag })) ?? "unchanged", "unchanged");
  equal((await pets.list({ id: rex.id }, { ifNoneMatch: '"other"' }))?.items, [rex]);
  await pets.update(rex.id, { name: "Max" }, { ifMatch: etag });
  equal((await pets.get(rex.id, { ifNoneMatch: etag }))?.name, "Max");
  const { code, status } = await failure(pets.update(rex.id, { name: "Rex" }, { ifMatch: etag }));
  equal([code, status], ["precondition_failed", 412]);
};

export const theSameWriteIsDoneOnce = async ({ store, equal, unique }: Everywhere): Promise<void> => {
  const { pets } = store();
  const idempotencyKey = unique();
  const first = await pets.create({ name: "Rex", categoryId: 1 }, { idempotencyKey }).withResponse();
  const again = await pets.create({ name: "Rex", categoryId: 1 }, { idempotencyKey }).withResponse();
  equal([first.isReplay, again.isReplay], [false, true]);
  equal(again.data, first.data);
  equal(again.headers.get("idempotency-replayed"), "true");
};

export const allHeadersCanBeRead = async ({ store, equal }: Everywhere): Promise<void> => {
  const { pets } = store();
  const created = await pets.create({ name: "Rex", categoryId: 1 }).withResponse();
  await pets.create({ name: "Max", categoryId: 1 });
  const list = await pets.list({ limit: 1 }).withResponse();
  const one = await pets.get(created.data.id).withResponse();
  const unreadable = (headers: Headers, names: string): string[] =>
    names.split(" ").filter((name) => !headers.has(name));
  const limits = "ratelimit ratelimit-policy x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-request-id";
  equal(unreadable(created.headers, `${limits} location etag`), []);
  equal(unreadable(list.headers, `${limits} link etag`), []);
  equal(unreadable(one.headers, `${limits} deprecation sunset link etag`), []);
  equal([created.status, list.status, created.attempts], [201, 200, 1]);
  equal(one.requestId, one.headers.get("x-request-id"));
};
