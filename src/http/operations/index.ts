import type { AnyOperation } from "../declare/operation.ts";
import { createPet } from "./create-pet.ts";
import { deleteCategory } from "./delete-category.ts";
import { deletePet } from "./delete-pet.ts";
import { getCategory } from "./get-category.ts";
import { getKey } from "./get-key.ts";
import { getOrder } from "./get-order.ts";
import { getPet } from "./get-pet.ts";
import { listCategories } from "./list-categories.ts";
import { listOrders } from "./list-orders.ts";
import { listPets } from "./list-pets.ts";
import { placeOrder } from "./place-order.ts";
import { putCategory } from "./put-category.ts";
import { updateOrder } from "./update-order.ts";
import { updatePet } from "./update-pet.ts";

/** All operations of the API. */
export const OPERATIONS: readonly AnyOperation[] = [
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
  listCategories,
  getCategory,
  putCategory,
  deleteCategory,
  listOrders,
  placeOrder,
  getOrder,
  updateOrder,
  getKey,
];
