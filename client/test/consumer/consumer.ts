// Compiled by consumers.test.ts as the code of a user, with several compilers and settings. It is never run.
import {
  AnimalStore,
  AnimalStoreError,
  type AnimalStoreOptions,
  type Answer,
  type Call,
  type CallOptions,
  type Category,
  type ConditionalReadOptions,
  type ErrorCode,
  type Int64,
  type Key,
  type ListPetsQuery,
  type NewPet,
  type Order,
  type Page,
  type Pet,
  type PetId,
  type PetStatus,
  type PetUpdate,
} from "animal-store-client";

/** Compiles only if both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

const options: AnimalStoreOptions = { baseUrl: "http://127.0.0.1:8080/v1", apiKey: async () => "pk_test", fetch };
const store = new AnimalStore(options);
const rex: Pet = { id: "1", name: "Rex", categoryId: "7", status: "available" };

export async function idsAreGivenInThreeWays(): Promise<void> {
  await store.pets.create({ name: "Rex", categoryId: 7 });
  await store.pets.create({ name: "Rex", categoryId: 7n, status: undefined });
  await store.pets.create({ name: "Rex", categoryId: "7", status: "sold" });
  await store.pets.list({ id: [1, 2n, "3"], categoryId: undefined });
  const byId: Record<Int64, Pet> = { [rex.id]: rex };
  same<typeof rex.id, PetId>(true);
  const text: string = rex.id;
  await store.pets.find(text);
  // @ts-expect-error: the id of an animal is not that of an order
  await store.orders.approve(rex.id);
  same<Pet | undefined, (typeof byId)[string] | undefined>(true);
  // @ts-expect-error: an id is not an animal
  await store.orders.place({ petId: rex });
  // @ts-expect-error: null is no id
  await store.pets.find(null);
  // @ts-expect-error: it may be missing
  await store.pets.find((await store.pets.list()).items[0]?.id);
  // @ts-expect-error: ids are exact, and no numbers
  const sum: number = rex.id + 1;
  return void sum;
}

export async function valuesAreChecked(): Promise<void> {
  // @ts-expect-error: there is no such status
  await store.pets.list({ status: "lost" });
  // @ts-expect-error: nor here
  await store.orders.update(1, { status: "sold" });
  // @ts-expect-error: the name is missing
  await store.pets.create({ categoryId: 7 });
  // @ts-expect-error: misspelled
  await store.pets.list({ categoryID: 7 });
  // @ts-expect-error: a page size is a number
  await store.pets.list({ limit: "50" });
  // @ts-expect-error: what is received cannot be changed
  rex.name = "Rexi";
  // @ts-expect-error: an animal has an id, which an update must not have
  await store.pets.update(rex.id, rex);
  // @ts-expect-error: nor must a new one
  await store.pets.create({ ...rex, name: "Rexi" });
  const { id, ...rest } = rex;
  const update: PetUpdate = rest;
  await store.pets.update(id, update);
  const status: PetStatus = rex.status;
  const another: NewPet = { name: "Mia", categoryId: 3, status };
  await store.pets.create(another);
}

export async function optionsBelongToOperations(): Promise<void> {
  // @ts-expect-error: a read is not repeated by a key
  await store.orders.get(1, { idempotencyKey: "a" });
  // @ts-expect-error: nor a list
  await store.pets.list({}, { idempotencyKey: "a" });
  // @ts-expect-error: nothing is there to be matched yet
  await store.pets.create({ name: "Rex", categoryId: 7 }, { ifMatch: "a" });
  // @ts-expect-error: misspelled
  await store.key({ timeout: 5 });
  await store.orders.approve(1, { idempotencyKey: "a", ifMatch: undefined, signal: undefined, retries: 0 });
  await store.categories.put(7, { name: "Dogs" }, { ifNoneMatch: "*" });
}

export async function whatIsUnchangedIsUndefined(given: ConditionalReadOptions, plain: CallOptions): Promise<void> {
  const { data, etag } = await store.categories.get(7).withResponse();
  same<typeof data, Category>(true);
  same<typeof etag, string | undefined>(true);
  const order = await store.orders.get(1, { ifNoneMatch: etag });
  same<typeof order, Order | undefined>(true);
  const kept = await store.orders.get(1, given);
  same<typeof kept, Order | undefined>(true);
  const sure = await store.orders.get(1, plain);
  same<typeof sure, Order>(true);
  const page = await store.pets.list({}, { ifNoneMatch: etag });
  same<typeof page, Page<Pet> | undefined>(true);
  // @ts-expect-error: what is known already would be missing
  for await (const _ of store.pets.list({}, { ifNoneMatch: etag }));
}

export async function listsArePagesAndIterables(query: ListPetsQuery): Promise<readonly Pet[]> {
  for await (const pet of store.pets.list(query)) same<typeof pet, Pet>(true);
  // @ts-expect-error: the page must be awaited first
  await store.pets.list().items;
  const page = await store.pets.list({ limit: 50 });
  const next: Page<Pet> | undefined = await page.next();
  // @ts-expect-error: items are not to be changed
  page.items.push(rex);
  return next?.items ?? [];
}

export async function callsArePromises(): Promise<[Key, Pet | undefined]> {
  const call: Call<Key> = store.key();
  const answer: Answer<Key> = await call.withResponse();
  same<typeof answer.headers, Headers>(true);
  return Promise.all([store.key(), store.pets.find(1)]);
}

export const operationsAreKnown: AnimalStoreOptions = {
  onResponse: ({ operation }) => {
    const isListing = operation === "listPets" || operation === "GET /pets";
    // @ts-expect-error: there is no such operation
    const isMisspelled = operation === "listPet";
    return void (isListing || isMisspelled);
  },
  onFailure: ({ error }) => {
    if (!(error instanceof AnimalStoreError)) return;
    // @ts-expect-error: nor is there one in an error
    if (error.operation === "createPets") throw error;
  },
};

export function codesAreKnownAndOpen(error: unknown): string | undefined {
  if (!(error instanceof AnimalStoreError)) return undefined;
  switch (error.code) {
    case "pet_not_available":
      return error.message;
    case "timeout":
      return `${error.attempts} attempts`;
    case "a_code_of_tomorrow":
      return error.requestId;
  }
  const code: ErrorCode = "rate_limit_exceeded";
  // @ts-expect-error: there is no such code yet
  const wrong: ErrorCode = "a_code_of_tomorrow";
  return error.code === code ? String(error.retryAfterMs) : wrong;
}
