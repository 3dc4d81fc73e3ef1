import { maybe } from "../../base/json/fields.ts";
import { NO_SUCH_CATEGORY, sentencesOnTakenName } from "../../domain/refusal-sentences.ts";
import { CATEGORY_FIELDS, type Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { CategoryView, PageView, UsedCategoryView } from "../api/index.ts";
import { ConsoleFault, notFound } from "../fault.ts";
import {
  cursorIn,
  idIn,
  int64TextField,
  invalidField,
  nextOf,
  PAGE_SIZE,
  withForm,
  withQuery,
} from "../forms/forms.ts";
import type { ConsoleHandler } from "../handler.ts";
import { authorshipOf } from "./author.ts";

const FILTER = { id: maybe(int64TextField), name: maybe(CATEGORY_FIELDS.name) };

const viewOf = ({ id, name }: Category): CategoryView => ({ id: String(id), name });

/** Lists by number; a search by name, by name; with an id, only that category, if it has a name. */
export const listCategories = withQuery(FILTER, async ({ store }, _, { id, name }, { query }) => {
  if (id !== undefined) return { items: (await store.categories.getSeveral([id])).map(viewOf), next: null };
  const folded = name === undefined ? undefined : fold(name);
  const after = cursorIn(query, folded);
  if (after instanceof ConsoleFault) return after;
  const page = await store.categories.list({ name: folded, after, size: PAGE_SIZE });
  return { items: page.rows.map(viewOf), next: nextOf(page) } satisfies PageView<CategoryView>;
});

/** Counting this many takes about half a millisecond. */
const COUNTED_ANIMALS = 10_000;

const USED_FILTER = { name: maybe(CATEGORY_FIELDS.name) };

/** Lists by number, without a name too; a search by name, by name. Each has the number of its animals. */
export const listUsedCategories = withQuery(USED_FILTER, async ({ store }, _, { name }, { query }) => {
  const folded = name === undefined ? undefined : fold(name);
  const after = cursorIn(query, folded);
  if (after instanceof ConsoleFault) return after;
  const page =
    folded === undefined
      ? await store.counts.usedCategories({ after, size: PAGE_SIZE })
      : await store.categories.list({ name: folded, after, size: PAGE_SIZE });
  const ids = page.rows.map(({ id }) => id);
  const counts = await store.counts.animalsByCategory({ ids, most: COUNTED_ANIMALS + 1 });
  const items = page.rows.map((row): UsedCategoryView => {
    const animals = counts.get(row.id) ?? 0;
    const areMore = animals > COUNTED_ANIMALS;
    return { id: String(row.id), name: row.name, animals: { value: areMore ? COUNTED_ANIMALS : animals, areMore } };
  });
  return { items, next: nextOf(page) } satisfies PageView<UsedCategoryView>;
});

export const nameCategory = withForm(CATEGORY_FIELDS, async (parts, session, named, { params }) => {
  const id = int64TextField.parse(params.id);
  if (typeof id !== "bigint") return invalidField("categoryId", `The number of the category ${id.text}.`);
  const put = await parts.store.categories.put({ id, ...named, author: authorshipOf(parts, session) });
  if (put.kind === "done") return viewOf(put.value.category);
  if (put.kind === "refused" && put.reason.kind === "name_taken")
    return new ConsoleFault(409, "category_name_taken", sentencesOnTakenName(put.reason.by), { field: "name" });
  throw new Error("a naming without a precondition was refused for one");
});

/** Animals keep the number, and the category can be named again. */
export const unnameCategory: ConsoleHandler = async (parts, session, call) => {
  const id = idIn(call);
  const removed =
    id !== undefined &&
    (await parts.store.categories.delete({ id, author: authorshipOf(parts, session) })).kind === "done";
  return removed ? undefined : NOT_NAMED;
};

const NOT_NAMED = notFound(
  "category_not_found",
  `${NO_SUCH_CATEGORY} It may have been deleted in the meantime. Go back to the list.`,
);
