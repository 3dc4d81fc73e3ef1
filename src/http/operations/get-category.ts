import { andThen } from "../../domain/awaitable.ts";
import { categoryTag } from "../../domain/category.ts";
import { done, refused } from "../../domain/result.ts";
import { CATEGORY_NOT_FOUND } from "../faults.ts";
import { operation } from "../operation.ts";
import { idInPath } from "../parameters.ts";
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
    andThen(categories.get(categoryId), (category) => (category ? done(category) : refused("no_such_category"))),
  render: (category) => ({ body: categoryJson(category), tag: categoryTag(category), survivesAdditions: true }),
  refuse: () => CATEGORY_NOT_FOUND,
});
