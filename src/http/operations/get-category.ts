import { done } from "../../base/result.ts";
import { andThen } from "../../base/time/awaitable.ts";
import { categoryTag } from "../../domain/stock/category.ts";
import { operation } from "../declare/operation.ts";
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
  parameters: { categoryId: idInPath("The category's id.", 7, CATEGORY_NOT_FOUND) },
  success: { status: 200, description: "The category.", schema: CATEGORY, examples: { found: CATEGORY_EXAMPLE } },
  faults: [CATEGORY_NOT_FOUND],
  perform: ({ parameters: { categoryId } }, { categories }) =>
    andThen(categories.get(categoryId), (category) => (category ? done(category) : CATEGORY_NOT_FOUND)),
  render: (category) => ({ body: categoryJson(category), tag: categoryTag(category), survivesAdditions: true }),
});
