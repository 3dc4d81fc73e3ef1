import type { AnyOperation } from "../operation.ts";
import { createPet } from "./create-pet.ts";
import { getPet } from "./get-pet.ts";
import { listOrders } from "./list-orders.ts";
import { listPets } from "./list-pets.ts";
import { placeOrder } from "./place-order.ts";
import { updateOrder } from "./update-order.ts";

/** The whole interface. */
export const OPERATIONS: readonly AnyOperation[] = [listPets, createPet, getPet, listOrders, placeOrder, updateOrder];
