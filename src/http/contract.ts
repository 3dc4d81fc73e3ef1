import { z } from "zod";
import { ANIMAL_STATUSES, DEFAULT_ANIMAL_STATUS, NAME_MAX_CODE_POINTS } from "../domain/animal.ts";
import { FAULT_CODES } from "../domain/fault.ts";
import { INT64_MAX, INT64_MIN } from "../domain/int64.ts";
import { ORDER_STATUSES } from "../domain/order.ts";
import { mistakeInText } from "../domain/text.ts";

// The wire schemas: they validate what comes in, and the OpenAPI document is made from them.
// An `error` text is the end of a sentence that begins with the field's name.

const int64 = (description: string) =>
  z.int64({ error: `must be an integer from ${INT64_MIN} to ${INT64_MAX}, not in quotes` }).meta({ description });

export const PetStatus = z
  .enum(ANIMAL_STATUSES, { error: `must be one of ${ANIMAL_STATUSES.join(", ")}` })
  .meta({ id: "PetStatus", description: "Availability of the animal." });

const name = z
  .string({ error: "must be a string" })
  .check((context) => {
    const mistake = mistakeInText(context.value, NAME_MAX_CODE_POINTS);
    if (mistake) context.issues.push({ code: "custom", message: mistake, input: context.value });
  })
  .meta({
    description: "The animal's name, returned exactly as it was sent. Not blank, no control characters.",
    minLength: 1,
    maxLength: NAME_MAX_CODE_POINTS,
    examples: ["Rex"],
  });

const categoryId = int64("Identifier of the category that the animal belongs to.").meta({ examples: [7] });

export const NewPet = z
  .strictObject(
    { name, categoryId, status: PetStatus.default(DEFAULT_ANIMAL_STATUS) },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewPet",
    description: "An animal to add. The service assigns its id.",
    examples: [{ name: "Rex", categoryId: 7, status: "available" }],
  });

export const Pet = z
  .object({
    id: int64("Assigned by the service, in ascending order, and never reused.").meta({ examples: [42] }),
    name,
    categoryId,
    status: PetStatus,
  })
  .meta({
    id: "Pet",
    description: "An animal held in the store.",
    examples: [{ id: 42, name: "Rex", categoryId: 7, status: "available" }],
  });

export const Pets = z
  .array(Pet)
  .meta({ id: "Pets", description: "A page of animals by ascending id; the Link header has the next one." });

export const OrderStatus = z
  .enum(ORDER_STATUSES, { error: `must be one of ${ORDER_STATUSES.join(", ")}` })
  .meta({ id: "OrderStatus", description: "How far the sale has come." });

const petId = int64("The animal that is sold.").meta({ examples: [42] });

export const NewOrder = z
  .strictObject({ petId }, { error: "must be a JSON object" })
  .meta({ id: "NewOrder", description: "An order for one animal.", examples: [{ petId: 42 }] });

export const OrderUpdate = z
  .strictObject({ status: OrderStatus }, { error: "must be a JSON object" })
  .meta({ id: "OrderUpdate", description: "Where the order goes next.", examples: [{ status: "approved" }] });

const moment = (description: string) => z.string().meta({ description, format: "date-time" });

export const Order = z
  .object({
    id: int64("Assigned by the service, in ascending order, and never reused.").meta({ examples: [7] }),
    petId,
    status: OrderStatus,
    placedAt: moment("When it was placed."),
    updatedAt: moment("When its status last changed."),
  })
  .meta({ id: "Order", description: "The sale of one animal." });

export const Orders = z
  .array(Order)
  .meta({ id: "Orders", description: "A page of orders by ascending id; the Link header has the next one." });

export const ErrorBody = z
  .strictObject({
    code: z.enum(FAULT_CODES).meta({ description: "Machine-readable; the list only grows." }),
    message: z.string().meta({ description: "For people: what is wrong, and what to do about it." }),
    status: z.int().meta({ description: "The HTTP status code.", minimum: 400, maximum: 599 }),
  })
  .meta({ id: "Error", description: "The body of every error." });
