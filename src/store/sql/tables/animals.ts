import { lazy } from "../../../base/lazy.ts";
import type { Result } from "../../../base/result.ts";
import { cutPage, type Listed, type Page } from "../../../domain/page.ts";
import {
  type Animal,
  type AnimalDeletion,
  type AnimalDeletionRefusal,
  type AnimalUpdate,
  type AnimalUpdateRefusal,
  changesStatus,
  decideAnimalDeletion,
  decideAnimalUpdate,
} from "../../../domain/stock/animal.ts";
import { entryOnAnimal } from "../../../domain/stock/changes.ts";
import { OPEN_ORDER_STATUSES } from "../../../domain/stock/order.ts";
import type { AnimalAddition, AnimalQuery } from "../../ports/store.ts";
import { animalListing, animalLists } from "../lists.ts";
import { ANIMALS, NEW_ANIMAL, newAnimalValues, SELECT_ANIMAL } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

export function animalStatements({ placeholder: $, forUpdate }: Dialect) {
  const changes = NEW_ANIMAL.map((column, i) => `${column} = ${$(i + 1)}`).join(", ");
  const open = OPEN_ORDER_STATUSES.map((status) => `'${status}'`).join(", ");
  return {
    get: `${SELECT_ANIMAL} WHERE id = ${$(1)}`,
    /** Placing or updating an order locks its animal too. */
    getAndLock: `${SELECT_ANIMAL} WHERE id = ${$(1)} ${forUpdate}`,
    create: `${insertInto(ANIMALS, NEW_ANIMAL, $)} RETURNING id`,
    /** The parameters are those of newAnimalValues(), and the id. */
    update: `UPDATE animals SET ${changes} WHERE id = ${$(NEW_ANIMAL.length + 1)}`,
    remove: `DELETE FROM animals WHERE id = ${$(1)}`,
    findOpenOrder: `SELECT 1 FROM orders WHERE animal_id = ${$(1)} AND status IN (${open}) LIMIT 1`,
    findOrder: `SELECT 1 FROM orders WHERE animal_id = ${$(1)} LIMIT 1`,
  };
}

/**
 * Orders are looked for once the animal is locked, in a statement of its own: only that one is certain to see the order
 * of whoever had the lock before.
 */
export function animalWork(dialect: Dialect) {
  const statements = animalStatements(dialect);
  const lists = lazy(() => animalLists(dialect));
  const append = journalAppender(dialect);
  return {
    *list(query: AnimalQuery): Work<Page<Listed<Animal>>> {
      const { name, parameters } = animalListing(query, dialect);
      return cutPage(yield* run<Listed<Animal>>(lists()[name], parameters), query.size);
    },
    additions: {
      *add({ animal, author }: AnimalAddition): Work<Animal> {
        const row = yield* first<{ id: bigint }>(statements.create, newAnimalValues(animal));
        const added = { id: (row as { id: bigint }).id, ...animal };
        yield* append(entryOnAnimal("animals add", { author }, undefined, added));
        return added;
      },
    },
    changes: {
      *update(update: AnimalUpdate): Work<Result<Animal, AnimalUpdateRefusal>> {
        const { id } = update;
        const animal = yield* first<Animal>(statements.getAndLock, [id]);
        const openOrder =
          animal && changesStatus(animal, update) ? yield* first(statements.findOpenOrder, [id]) : undefined;
        const decision = decideAnimalUpdate(animal, () => openOrder !== undefined, update);
        if (decision.kind === "done") {
          yield* run(statements.update, [...newAnimalValues(decision.value), id]);
          yield* append(entryOnAnimal("animals update", update, animal, decision.value));
        }
        return decision;
      },
      *delete(deletion: AnimalDeletion): Work<Result<Animal, AnimalDeletionRefusal>> {
        const { id } = deletion;
        const animal = yield* first<Animal>(statements.getAndLock, [id]);
        const order = animal && (yield* first(statements.findOrder, [id]));
        const decision = decideAnimalDeletion(animal, () => order !== undefined, deletion);
        if (decision.kind === "done") {
          yield* run(statements.remove, [id]);
          yield* append(entryOnAnimal("animals delete", deletion, animal, undefined));
        }
        return decision;
      },
    },
  };
}
