import { OPEN_ORDER_STATUSES } from "../../domain/stock/order.ts";
import { ANIMALS, NEW_ANIMAL } from "./rows.ts";
import type { Dialect } from "./searches.ts";

/** The statements that update and delete animals, for both databases. */
export interface AnimalStatements {
  /** The parameters are those of newAnimalValues(), and the id. */
  readonly update: string;
  readonly remove: string;
  /** Finds a row if the animal has such an order. */
  readonly findOpenOrder: string;
  readonly findOrder: string;
}

export function animalStatements({ placeholder }: Dialect): AnimalStatements {
  const changes = NEW_ANIMAL.map((column, i) => `${column} = ${placeholder(i + 1)}`).join(", ");
  const id = placeholder(1);
  const open = OPEN_ORDER_STATUSES.map((status) => `'${status}'`).join(", ");
  return {
    update: `UPDATE ${ANIMALS.name} SET ${changes} WHERE id = ${placeholder(NEW_ANIMAL.length + 1)}`,
    remove: `DELETE FROM ${ANIMALS.name} WHERE id = ${id}`,
    findOpenOrder: `SELECT 1 FROM orders WHERE animal_id = ${id} AND status IN (${open}) LIMIT 1`,
    findOrder: `SELECT 1 FROM orders WHERE animal_id = ${id} LIMIT 1`,
  };
}
