import { operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { CATEGORY_NOT_FOUND } from "../faults/faults.ts";
import { CATEGORIES_TAG } from "../wire/category.ts";

export const deleteCategory = operation({
  name: "deleteCategory",
  method: "DELETE",
  path: "/categories/{categoryId}",
  tag: CATEGORIES_TAG,
  scope: "pets:write",
  summary: "Remove the name of a category",
  description: "Animals of the category keep its number. The name can be given to another category.",
  parameters: { categoryId: idInPath("The category's id: any int64.", 7, CATEGORY_NOT_FOUND) },
  idempotency: true,
  success: { status: 204, description: "The category has no name any more." },
  perform: ({ parameters: { categoryId }, precondition, idempotencyKey }, { categories }) =>
    categories.delete({ id: categoryId, precondition }, idempotencyKey),
  render: () => ({ body: null }),
  refuse: () => CATEGORY_NOT_FOUND,
});
