import { categoryTag } from "../../domain/stock/category.ts";
import { foundOr, operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { CATEGORY_NOT_FOUND } from "../faults/faults.ts";
import { CATEGORIES_TAG, CATEGORY, CATEGORY_EXAMPLE, categoryJson } from "../wire/category.ts";

export const getCategory = operation({
  name: "getCategory",
  method: "GET",
  path: "/categories/{categoryId}",
  tag: CATEGORIES_TAG,
  scope: "pets:read",
  summary: "Get a category",
  description:
    "The category with its name. A category without a name is answered with 404, even if there are animals of it.",
  parameters: { categoryId: idInPath("The category's id: any int64.", 7, CATEGORY_NOT_FOUND) },
  success: { status: 200, description: "The category.", schema: CATEGORY, examples: { found: CATEGORY_EXAMPLE } },
  perform: ({ parameters: { categoryId } }, { categories }) => foundOr(CATEGORY_NOT_FOUND, categories.get(categoryId)),
  render: (category) => ({ body: categoryJson(category), tag: categoryTag(category), survivesAdditions: true }),
});
