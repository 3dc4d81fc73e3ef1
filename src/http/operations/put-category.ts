import { categoryTag } from "../../domain/stock/category.ts";
import { operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { NOT_A_CATEGORY_ID, namingFault } from "../faults/faults.ts";
import { CATEGORIES_TAG, CATEGORY, CATEGORY_EXAMPLE, CATEGORY_UPDATE, categoryJson } from "../wire/category.ts";

const CREATED = 201;

export const putCategory = operation({
  name: "putCategory",
  method: "PUT",
  path: "/categories/{categoryId}",
  tag: CATEGORIES_TAG,
  scope: "pets:write",
  summary: "Name a category",
  description:
    "Gives a category a name, or another one. One name serves one category: names are the same if they differ only in case, or in how accented characters are encoded. With `If-None-Match: *`, only a category that has no name yet gets one.",
  parameters: { categoryId: idInPath("The category's id: any int64.", 7, NOT_A_CATEGORY_ID) },
  body: CATEGORY_UPDATE,
  idempotency: true,
  success: {
    status: 200,
    description: "The category had a name already, and has this one now.",
    schema: CATEGORY,
    examples: { renamed: CATEGORY_EXAMPLE },
  },
  otherSuccess: {
    status: CREATED,
    description: "The category had no name, and has one now.",
    schema: CATEGORY,
    examples: { named: CATEGORY_EXAMPLE },
  },
  faults: [
    namingFault({ kind: "name_taken", by: 8n }),
    namingFault({ kind: "already_named" }),
    namingFault({ kind: "not_named" }),
  ],
  perform: ({ parameters: { categoryId }, body: { name }, precondition, idempotencyKey }, { categories }) =>
    categories.put({ id: categoryId, name, precondition }, idempotencyKey),
  // No Location: the category is where the request was sent.
  render: ({ category, isNew }) => ({
    body: categoryJson(category),
    tag: categoryTag(category),
    ...(isNew ? { status: CREATED } : {}),
  }),
  refuse: namingFault,
});
