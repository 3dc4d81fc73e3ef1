import { cutPage, jsonPageOf, type Listed, type Page } from "../../../domain/page.ts";
import { type Animal, changesStatus, decideAnimalDeletion, decideAnimalUpdate } from "../../../domain/stock/animal.ts";
import { entryOfAddition, entryOfDeletion, entryOfUpdate } from "../../../domain/stock/changes.ts";
import type { AnimalQuery, AnimalStore } from "../../ports/store.ts";
import { animalStatements } from "../../sql/animal-statements.ts";
import { type AnimalListName, animalListing, animalLists } from "../../sql/lists.ts";
import { newAnimalValues, SELECT_ANIMAL } from "../../sql/rows.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, runListing } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";
import { Batches } from "./batches.ts";
import { CREATE, onceOnlyCreations, plainCreations } from "./creations.ts";
import type { CarryOut, TransactOnce } from "./idempotency.ts";
import { appendJournal } from "./journal.ts";

const GET = `${SELECT_ANIMAL} WHERE id = $1`;
export const GET_SEVERAL = `${SELECT_ANIMAL} WHERE ${POSTGRES.idIsOneOf("$1")}`;

/** Placing or updating an order locks its animal too. */
export const GET_AND_LOCK = `${GET} FOR UPDATE`;
export const ANIMALS = animalStatements(POSTGRES);

const MAX_GETS = 100;

export function postgresAnimals(pool: Pool, carryOut: CarryOut, transact: TransactOnce): AnimalStore {
  const lists = animalLists(POSTGRES);
  const gets = new Batches<bigint, Animal | undefined>({
    maxSize: MAX_GETS,
    maxInProgress: Number.POSITIVE_INFINITY,
    run: async (ids) => {
      if (ids.length === 1) return pool.read<Animal>(GET, ids);
      const found = await pool.read<Animal>(GET_SEVERAL, [POSTGRES.idList(ids)]);
      const byId = new Map(found.map((animal) => [animal.id, animal]));
      return ids.map((id) => byId.get(id));
    },
  });
  const creations = plainCreations(pool);
  const onceOnly = onceOnlyCreations(pool);

  async function list(query: AnimalQuery): Promise<Page<Listed<Animal>>> {
    const rows = await runListing<AnimalListName, Listed<Animal>>(pool, lists, animalListing(query, POSTGRES));
    return cutPage(rows, query.size);
  }

  return {
    list,
    // Rendered here and not by the server, which works for many instances: its CPU is the scarcer one.
    listJson: async (query, { jsonOf }) => jsonPageOf(await list(query), jsonOf),
    get: (id) => gets.add(id),
    create: (animal, key) =>
      carryOut({ attempt: () => (key ? onceOnly.add({ animal, key }) : creations.add(animal)) }, key),
    add: ({ animal, author }) =>
      pool.transact(async (tx) => {
        const [row] = await tx.run<{ id: bigint }>(CREATE, newAnimalValues(animal));
        const added = { id: (row as { id: bigint }).id, ...animal };
        await appendJournal(tx, entryOfAddition(author, added));
        return added;
      }),
    update: (correction, key) =>
      transact(key, async (tx) => {
        const animal = await lock(tx, correction.id);
        const isHeld =
          animal !== undefined && changesStatus(animal, correction) && (await finds(tx, "findOpenOrder", animal));
        const decision = decideAnimalUpdate(animal, () => isHeld, correction);
        if (decision.kind === "done") {
          await tx.run(ANIMALS.update, [...newAnimalValues(decision.value), correction.id]);
          await appendJournal(tx, entryOfUpdate(correction, animal, decision.value));
        }
        return decision;
      }),
    delete: (removal, key) =>
      transact(key, async (tx) => {
        const animal = await lock(tx, removal.id);
        const hasOrders = animal !== undefined && (await finds(tx, "findOrder", animal));
        const decision = decideAnimalDeletion(animal, () => hasOrders, removal);
        if (decision.kind === "done") {
          await tx.run(ANIMALS.remove, [removal.id]);
          await appendJournal(tx, entryOfDeletion(removal, decision.value));
        }
        return decision;
      }),
  };
}

async function lock(tx: Connection, id: bigint): Promise<Animal | undefined> {
  const [animal] = await tx.run<Animal>(GET_AND_LOCK, [id]);
  return animal;
}

/**
 * Orders are looked for once the animal is locked, in a statement of its own: only that one is certain to see the order
 * of whoever had the lock before.
 */
const finds = async (tx: Connection, what: "findOrder" | "findOpenOrder", { id }: Animal): Promise<boolean> =>
  (await tx.run(ANIMALS[what], [id])).length > 0;
