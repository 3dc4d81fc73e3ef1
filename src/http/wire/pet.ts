import { INT64_SCHEMA, PRINTABLE } from "../../base/json/fields.ts";
import { jsonShape } from "../../base/json/shape.ts";
import { ANIMAL_STATUSES, ANIMAL_UPDATE_FIELDS, type Animal, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { pageSchema } from "../declare/paging.ts";
import { assignedId, bigExample, bodyShape, namedSchema, refTo } from "../declare/schema.ts";

// An animal on the wire, where it is called Pet: its schemas, and its JSON.

export const PETS_TAG = { name: "Pets", description: "The animals held in the store." };

export const PET_STATUS = namedSchema("PetStatus", {
  type: "string",
  description: "Availability of the animal.",
  enum: ANIMAL_STATUSES,
});

const newName = {
  ...NEW_ANIMAL_FIELDS.name.schema,
  description:
    "The animal's name, with at least one visible character, and without control characters or bidirectional controls (U+202A to U+202E, U+2066 to U+2069).",
  examples: ["Rex"],
};
/** Animals from before names had to be visible keep theirs. */
const name = {
  ...newName,
  pattern: PRINTABLE,
  description: "The animal's name, returned exactly as it was sent. Not blank, no control characters.",
};
const categoryId = {
  ...INT64_SCHEMA,
  description: "Identifier of the category that the animal belongs to.",
  examples: [7],
};

const described = { describe: { name: newName, categoryId, status: refTo(PET_STATUS) } };

export const NEW_PET = bodyShape("NewPet", {
  description: "An animal to add. The service assigns its id. Without a status, the animal is available.",
  fields: NEW_ANIMAL_FIELDS,
  ...described,
  examples: {
    available: { name: "Rex", categoryId: 7 },
    pending: { name: "Mia", categoryId: 3, status: "pending" },
    largeCategory: { name: "Tom", categoryId: bigExample(9_007_199_254_740_993n) },
  },
});

export const PET_UPDATE = bodyShape("PetUpdate", {
  description: "What is to be different about the animal: at least one field. The others stay as they are.",
  fields: ANIMAL_UPDATE_FIELDS,
  atLeastOne: true,
  ...described,
  examples: {
    name: { name: "Rexi" },
    all: { name: "Rexi", categoryId: 3, status: "sold" },
  },
});

export const PET_EXAMPLE = { id: 42, name: "Rex", categoryId: 7, status: "available" };
export const UPDATED_EXAMPLE = { ...PET_EXAMPLE, name: "Rexi" };
export const OTHER_PET_EXAMPLE = {
  id: 43,
  name: "Mia",
  categoryId: bigExample(9_007_199_254_740_993n),
  status: "sold",
};

export const PET = namedSchema("Pet", {
  type: "object",
  description: "An animal held in the store.",
  properties: {
    id: assignedId(42),
    name,
    categoryId,
    status: refTo(PET_STATUS),
  },
  required: ["id", "name", "categoryId", "status"],
  examples: [PET_EXAMPLE],
});

export const PETS = pageSchema(
  "Pets",
  PET,
  "A page of animals, by ascending id unless `sort` or `name` says otherwise; the Link header has the next one.",
);

/** Builds JSON as text: JSON.stringify refuses a bigint, and a number would lose digits. */
export const petJson = ({ id, name, categoryId, status }: Animal): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;

export const PET_SHAPE = jsonShape(petJson, { id: 0n, name: "", categoryId: 0n, status: "available" });
