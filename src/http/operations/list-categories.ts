import { done } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import { andThen } from "../../base/time/awaitable.ts";
import { jsonPageOf } from "../../domain/page.ts";
import { fold } from "../../domain/stock/fold.ts";
import { operation } from "../declare/operation.ts";
import { clashOfCursor, pageSuccess, renderPage, SEARCH_PAGE_PARAMETERS } from "../declare/paging.ts";
import { textParameter } from "../declare/parameters.ts";
import {
  CATEGORIES,
  CATEGORIES_TAG,
  CATEGORY_EXAMPLE,
  categoryJson,
  OTHER_CATEGORY_EXAMPLE,
} from "../wire/category.ts";

const parameters = {
  ...SEARCH_PAGE_PARAMETERS,
  name: textParameter(
    "Return only categories whose name begins with this, in upper or lower case. They are ordered by name. Only with a `cursor` that was given out for it.",
    "Do",
    NAME_MAX_CODE_POINTS,
  ),
};

export const listCategories = operation({
  name: "listCategories",
  method: "GET",
  path: "/categories",
  tag: CATEGORIES_TAG,
  scope: "pets:read",
  summary: "List categories",
  description:
    "The categories that have names, by ascending id, or by name if they are found by `name`, one page at a time, with the same paging as for animals.",
  parameters,
  success: pageSuccess(CATEGORIES, "A page of categories.", [CATEGORY_EXAMPLE, OTHER_CATEGORY_EXAMPLE]),
  sampleQuery: "name=do",
  perform({ parameters: { limit: size, cursor: after, name: prefix } }, { categories }) {
    const name = prefix === undefined ? undefined : fold(prefix);
    const clash = clashOfCursor(after, name);
    if (clash) return clash;
    return andThen(categories.list({ size, after, name }), (rows) => done(jsonPageOf(rows, categoryJson)));
  },
  render: renderPage("/categories", parameters, () => true),
});
