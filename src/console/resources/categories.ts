import { maybe } from "../../base/json/fields.ts";
import { NO_SUCH_CATEGORY, sentencesOnTakenName } from "../../domain/refusal-sentences.ts";
import { CATEGORY_FIELDS, type Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { CategoryView, PageView } from "../api/index.ts";
import { ConsoleFault } from "../fault.ts";
import { cursorIn, int64TextField, invalidField, nextOf, PAGE_SIZE, readForm, readQuery } from "../forms/forms.ts";
import type { ConsoleHandler } from "../handler.ts";
import { authorshipOf } from "./author.ts";

const FILTER = { id: maybe(int64TextField), name: maybe(CATEGORY_FIELDS.name) };

const viewOf = ({ id, name }: Category): CategoryView => ({ id: String(id), name });

/** Lists by number; a search by name, by name; with an id, only that category, if it has a name. */
export const listCategories: ConsoleHandler = async (
  { store },
  _,
  { query },
): Promise<PageView<CategoryView> | ConsoleFault> => {
  const filter = readQuery(FILTER, query);
  if (filter instanceof ConsoleFault) return filter;
  const { id, name } = filter;
  if (id !== undefined) return { items: (await store.categories.getSeveral([id])).map(viewOf), next: null };
  const folded = name === undefined ? undefined : fold(name);
  const after = cursorIn(query, folded);
  if (after instanceof ConsoleFault) return after;
  const page = await store.categories.list({ name: folded, after, size: PAGE_SIZE });
  return { items: page.rows.map(viewOf), next: nextOf(page) };
};

export const nameCategory: ConsoleHandler = async (parts, session, { params, form }) => {
  const id = int64TextField.parse(params.id);
  if (typeof id !== "bigint") return invalidField("categoryId", `The number of the category ${id.text}.`);
  const named = readForm(CATEGORY_FIELDS, form);
  if (named instanceof ConsoleFault) return named;
  const put = await parts.store.categories.put({ id, ...named, author: authorshipOf(parts, session) });
  if (put.kind === "done") return viewOf(put.value.category);
  if (put.kind === "refused" && put.reason.kind === "name_taken")
    return new ConsoleFault(409, "category_name_taken", sentencesOnTakenName(put.reason.by), { field: "name" });
  throw new Error("a naming without a precondition was refused for one");
};

/** Animals keep the number, and the category can be named again. */
export const unnameCategory: ConsoleHandler = async (parts, session, { params }) => {
  const id = int64TextField.parse(params.id);
  const removed =
    typeof id === "bigint" &&
    (await parts.store.categories.delete({ id, author: authorshipOf(parts, session) })).kind === "done";
  return removed ? undefined : NOT_NAMED;
};

const NOT_NAMED = new ConsoleFault(
  404,
  "category_not_found",
  `${NO_SUCH_CATEGORY} It may have been deleted in the meantime. Go back to the list.`,
);
