import type { AnyOperation } from "../declare/operation.ts";
import { createPet } from "./create-pet.ts";
import { deleteCategory } from "./delete-category.ts";
import { deletePet } from "./delete-pet.ts";
import { getCategory } from "./get-category.ts";
import { getOrder } from "./get-order.ts";
import { getPet } from "./get-pet.ts";
import { getKey } from "./key/get-key.ts";
import { getKeyUsage } from "./key/get-key-usage.ts";
import { listKeyRequests } from "./key/list-key-requests.ts";
import { rotateKey } from "./key/rotate-key.ts";
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
  getKeyUsage,
  rotateKey,
  listKeyRequests,
];
