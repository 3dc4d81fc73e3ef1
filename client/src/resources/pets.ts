import type { CallOptions, ConditionalReadOptions, ConditionalWriteOptions, WriteOptions } from "../options.ts";
import { type Int64Input, int64, type PetId } from "../wire/int64.ts";
import type { ListPetsQuery, NewPet, Pet, PetUpdate } from "../wire/types.ts";
import { type BulkCall, type BulkOptions, BulkRun, type Rows } from "./bulk.ts";
import type { Call } from "./call.ts";
import type { ListCall, Page } from "./page.ts";
import type { Path, Requests } from "./requests.ts";

const one =
  (id: Int64Input<PetId>): Path =>
  () =>
    `/pets/${int64(id, "petId")}`;

/**
 * The animals of the store: `store.pets`.
 *
 * @example
 * const newest = (pets: Pets) => pets.list({ sort: "-id", limit: 1 });
 */
export class Pets {
  readonly #requests: Requests;

  /** @internal */
  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** The first page, or undefined if it is still what `ifNoneMatch` names. */
  list(filter: ListPetsQuery, options: ConditionalReadOptions): Call<Page<Pet> | undefined>;
  /**
   * The animals that match a filter: awaited, the first page; iterated over, all of them.
   *
   * @example
   * for await (const pet of store.pets.list({ status: "available" })) console.log(pet.id, pet.name);
   *
   * const page = await store.pets.list({ limit: 50 });
   */
  list(filter?: ListPetsQuery, options?: CallOptions): ListCall<Pet>;
  list(filter?: ListPetsQuery, options?: Partial<ConditionalReadOptions>): ListCall<Pet> {
    return this.#requests.list("listPets", "/pets", filter, options);
  }

  /**
   * Adds an animal. The service assigns the id; without a status, the animal is available.
   *
   * @example
   * const rex = await store.pets.create({ name: "Rex", categoryId: 7 });
   */
  create(pet: NewPet, options?: WriteOptions): Call<Pet> {
    return this.#requests.call("createPet", "POST", () => "/pets", pet, options);
  }

  /**
   * Adds many animals, each row exactly once, and waits for quotas instead of giving up. It goes on after a row that is
   * refused, and stops at what concerns all rows: the key, the connection, or `maxWaitMs`.
   *
   * @example
   * const rows = [{ sku: "A-17", name: "Rex" }, { sku: "A-18", name: "Mia" }];
   * const { created, failed } = await store.pets.createMany(rows, {
   *   toPet: ({ name }) => ({ name, categoryId: 7 }),
   *   idempotencyKey: ({ sku }) => `import-${sku}`,
   * });
   */
  createMany<Row>(
    rows: Rows<Row>,
    options: BulkOptions<Row> & { readonly toPet: (row: Row, index: number) => NewPet },
  ): BulkCall<Row>;
  /**
   * Adds many animals, where each row is one.
   *
   * @example
   * const { created } = await store.pets.createMany([{ name: "Rex", categoryId: 7 }]);
   */
  createMany<Row extends NewPet>(rows: Rows<Row>, options?: BulkOptions<Row>): BulkCall<Row>;
  createMany<Row>(rows: Rows<Row>, options: BulkOptions<Row> = {}): BulkCall<Row> {
    const { guard, baseUrl } = this.#requests;
    const asked = { operation: "createPet", method: "POST", url: `${baseUrl}/pets` } as const;
    return new BulkRun(rows, options, (pet, own) => this.create(pet, own).withResponse(), guard, asked);
  }

  /** @deprecated Removed on 5 December 2030. Use `find(id)`, or `list({ id }, { ifNoneMatch })`. */
  get(id: Int64Input<PetId>, options: ConditionalReadOptions): Call<Pet | undefined>;
  /**
   * One animal, which must exist.
   *
   * @deprecated Removed on 5 December 2030. Use `find(id)`.
   * @example
   * const rex = await store.pets.find(42);
   */
  get(id: Int64Input<PetId>, options?: CallOptions): Call<Pet>;
  get(id: Int64Input<PetId>, options?: Partial<ConditionalReadOptions>): Call<Pet> {
    return this.#requests.call("getPet", "GET", one(id), undefined, options);
  }

  /**
   * One animal, or undefined if there is none with this id. `withResponse()` has its `etag`, for `ifMatch`.
   *
   * @example
   * const rex = await store.pets.find(42);
   * if (rex?.status === "available") await store.orders.place({ petId: rex.id });
   */
  find(id: Int64Input<PetId>, options?: CallOptions): Call<Pet | undefined> {
    // An array, because an undefined id would be left out of the query and find any animal.
    return this.#requests.first("listPets", "/pets", { id: [id] }, options);
  }

  /**
   * Updates an animal. Fields that are left out stay as they are.
   *
   * @example
   * await store.pets.update(rex.id, { name: "Rexi" });
   */
  update(id: Int64Input<PetId>, update: PetUpdate, options?: ConditionalWriteOptions): Call<Pet> {
    return this.#requests.call("updatePet", "PATCH", one(id), update, options);
  }

  /**
   * Removes an animal that no order refers to.
   *
   * @example
   * await store.pets.delete(rex.id);
   */
  delete(id: Int64Input<PetId>, options?: ConditionalWriteOptions): Call<void> {
    return this.#requests.call("deletePet", "DELETE", one(id), undefined, options);
  }
}
