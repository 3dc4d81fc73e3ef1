import { INT64_SCHEMA } from "../../base/json/fields.ts";
import { CATEGORY_FIELDS, type Category } from "../../domain/stock/category.ts";
import { pageSchema } from "../declare/paging.ts";
import { bigExample, bodyShape, namedSchema } from "../declare/schema.ts";

// A category on the wire: its schemas, and its JSON.

export const CATEGORIES_TAG = {
  name: "Categories",
  description: "Names for the categories of animals. An animal may be of any category, whether it has a name or not.",
};

const name = {
  ...CATEGORY_FIELDS.name.schema,
  description:
    "The category's name, with at least one visible character, and without control characters or bidirectional controls (U+202A to U+202E, U+2066 to U+2069). No two categories have the same name, whatever its case.",
  examples: ["Dogs"],
};

export const CATEGORY_UPDATE = bodyShape("CategoryUpdate", {
  description: "The name that the category is to have.",
  fields: CATEGORY_FIELDS,
  describe: { name },
  examples: { dogs: { name: "Dogs" } },
});

export const CATEGORY_EXAMPLE = { id: 7, name: "Dogs" };
export const OTHER_CATEGORY_EXAMPLE = { id: bigExample(9_007_199_254_740_993n), name: "Songbirds" };

export const CATEGORY = namedSchema("Category", {
  type: "object",
  description: "A category that has a name.",
  properties: {
    id: {
      ...INT64_SCHEMA,
      description: "The number that animals have as their `categoryId`. Chosen by whoever names the category.",
      examples: [7],
    },
    name: { ...name, description: "The category's name, returned exactly as it was sent." },
  },
  required: ["id", "name"],
  examples: [CATEGORY_EXAMPLE],
});

export const CATEGORIES = pageSchema("Categories", CATEGORY, "A page of categories; the Link header has the next one.");

export const categoryJson = ({ id, name }: Category): string => `{"id":${id},"name":${JSON.stringify(name)}}`;
