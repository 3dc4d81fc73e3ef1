import { type Fields, maybe, partial } from "../../base/json/fields.ts";
import type { Page } from "../../domain/page.ts";
import { ANIMAL_HAS_ORDERS, ANIMAL_IN_ORDER, NO_SUCH_ANIMAL } from "../../domain/refusal-sentences.ts";
import { type Animal, animalTag, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { type NameSearch, SearchTooSlow, type Store } from "../../store/ports/store.ts";
import type { AnimalListView, AnimalSort, AnimalView, IndexingView } from "../api/index.ts";
import { afterChange, ConsoleFault, notFound } from "../fault.ts";
import { CONFIRMED_FORM, isSameName, wrongName } from "../forms/confirmation.ts";
import {
  cursorIn,
  idIn,
  int64TextField,
  invalidField,
  nextOf,
  PAGE_SIZE,
  type Query,
  readForm,
  withForm,
  withQuery,
} from "../forms/forms.ts";
import type { ConsoleAnswer, ConsoleHandler, ConsoleParts } from "../handler.ts";
import type { IndexState } from "../jobs/name-indexing.ts";
import {
  ANIMAL_FILTER,
  type InsideNames,
  isByName,
  isInside,
  orderInside,
  orderOf,
  SORT_FIELD,
  selectionOf,
} from "./animal-filter.ts";
import { authorshipOf } from "./author.ts";

const LIST_QUERY = { ...ANIMAL_FILTER, sort: SORT_FIELD };

export const listAnimals = withQuery(LIST_QUERY, async (parts, _, { sort: wanted, ...filter }, { query }) => {
  const { store } = parts;
  const selection = selectionOf(filter);
  if (selection instanceof ConsoleFault) return selection;
  if (isInside(selection)) return listInside(parts, selection, wanted, query);
  const sort = orderOf(selection, wanted);
  if (sort instanceof ConsoleFault) return sort;
  const after = cursorIn(query, isByName(sort) ? (selection.name ?? "") : undefined);
  if (after instanceof ConsoleFault) return after;
  const page = await store.animals.list({ ...selection, after, sort, size: PAGE_SIZE });
  return {
    items: await viewsOf(store, page.rows),
    next: nextOf(page),
    ...(selection.name === undefined ? {} : { canSearchInside: await parts.nameIndexing.isPossible() }),
  } satisfies AnimalListView;
});

/** What has just been added is found as well, unless it is too much for a moment: then the view says so. */
async function listInside(
  { store, nameIndexing }: ConsoleParts,
  { part }: InsideNames,
  wanted: AnimalSort | undefined,
  query: Query,
): Promise<ConsoleAnswer> {
  const sort = orderInside(wanted);
  if (sort instanceof ConsoleFault) return sort;
  const after = cursorIn(query);
  if (after instanceof ConsoleFault) return after;
  const index = await nameIndexing.prepare();
  if (!index) return NO_NAME_INDEX;
  const page = await pageInside(store, { part, sort, after, size: PAGE_SIZE });
  if (page instanceof ConsoleFault) return page;
  return {
    items: await viewsOf(store, page.rows),
    next: nextOf(page),
    canSearchInside: true,
    ...(index.isComplete ? {} : { indexing: indexingOf(index) }),
  } satisfies AnimalListView;
}

const NO_NAME_INDEX = new ConsoleFault(
  409,
  "no_name_index",
  "This service cannot search inside names, because it has no index for that. Search for the beginning of a name.",
);

async function pageInside({ nameIndex }: Store, query: NameSearch): Promise<Page<Animal> | ConsoleFault> {
  try {
    return await nameIndex.search(query);
  } catch (error) {
    if (error instanceof SearchTooSlow) return TOO_SLOW;
    throw error;
  }
}

const TOO_SLOW = invalidField("name", "The search took too long, and was stopped. Type more of the name.");

const indexingOf = ({ upToId, lastId, hasFailed }: IndexState): IndexingView => ({
  upToId: upToId === undefined ? null : String(upToId),
  lastId: String(lastId),
  hasFailed,
});

/** Adds the names of their categories, in one look-up. */
async function viewsOf({ categories }: Pick<Store, "categories">, animals: readonly Animal[]) {
  const ids = [...new Set(animals.map(({ categoryId }) => categoryId))];
  const found = ids.length === 0 ? [] : await categories.getSeveral(ids);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return animals.map(
    ({ id, name, categoryId, status }): AnimalView => ({
      id: String(id),
      name,
      categoryId: String(categoryId),
      categoryName: names.get(categoryId) ?? null,
      status,
    }),
  );
}

const viewOf = async (store: Store, animal: Animal): Promise<AnimalView> =>
  (await viewsOf(store, [animal]))[0] as AnimalView;

const NOT_FOUND = notFound(
  "animal_not_found",
  `${NO_SUCH_ANIMAL} It may have been deleted in the meantime. Go back to the list.`,
);
const CHANGED_MEANWHILE = new ConsoleFault(
  409,
  "changed_meanwhile",
  "Somebody has changed this animal since you opened it, so nothing was saved. Check it and try again.",
);

export const getAnimal: ConsoleHandler = async ({ store }, _, call) => {
  const id = idIn(call);
  const animal = id === undefined ? undefined : await store.animals.get(id);
  return animal ? viewOf(store, animal) : NOT_FOUND;
};

/** The rules of the API, except that numbers come as text. */
const ANIMAL_FORM = { ...NEW_ANIMAL_FIELDS, categoryId: int64TextField };

export const addAnimal = withForm(ANIMAL_FORM, async (parts, session, animal) => {
  const added = await parts.store.animals.add({ animal, author: authorshipOf(parts, session) });
  return afterChange(viewOf(parts.store, added));
});

const SEEN_FIELD = { parse: (value: unknown) => value, schema: {} };
const UPDATE_FORM = { ...partial(ANIMAL_FORM), seen: maybe(SEEN_FIELD) } satisfies Fields;

export const updateAnimal = withForm(UPDATE_FORM, async (parts, session, { seen, ...update }, call) => {
  const id = idIn(call);
  if (id === undefined) return NOT_FOUND;
  if (Object.keys(update).length === 0) return NOTHING_TO_CHANGE;
  const shown = seen === undefined ? undefined : readForm(ANIMAL_FORM, seen);
  if (shown instanceof ConsoleFault) return shown;
  const precondition = shown && { tags: [animalTag({ id, ...shown })] };
  const author = authorshipOf(parts, session);
  const updated = await parts.store.animals.update({ id, ...update, precondition, author });
  if (updated.kind === "done") return afterChange(viewOf(parts.store, updated.value));
  if (updated.kind !== "refused") throw new Error("an update without an idempotency key was replayed");
  if (updated.reason.kind === "no_such_animal") return NOT_FOUND;
  return updated.reason.kind === "precondition_failed" ? CHANGED_MEANWHILE : IN_ORDER;
});

const NOTHING_TO_CHANGE = new ConsoleFault(
  400,
  "nothing_to_change",
  "There is nothing to change. Change at least one field.",
);
const IN_ORDER = new ConsoleFault(
  409,
  "animal_in_order",
  `${ANIMAL_IN_ORDER} Deliver or cancel the order first, or leave the status as it is.`,
  { field: "status" },
);
const HAS_ORDERS = new ConsoleFault(409, "animal_has_orders", `${ANIMAL_HAS_ORDERS} Edit it instead.`);

/** Cannot be undone, so the name has to be typed; and the animal must be unchanged since it was shown. */
export const deleteAnimal = withForm(CONFIRMED_FORM, async (parts, session, confirmed, call) => {
  const id = idIn(call);
  const animal = id === undefined ? undefined : await parts.store.animals.get(id);
  if (!animal) return NOT_FOUND;
  if (!isSameName(confirmed.name, animal.name)) return wrongName("animal", animal.name);
  const precondition = { tags: [animalTag(animal)] };
  const author = authorshipOf(parts, session);
  const removed = await parts.store.animals.delete({ id: animal.id, precondition, author });
  if (removed.kind !== "refused") return undefined;
  if (removed.reason.kind === "no_such_animal") return NOT_FOUND;
  return removed.reason.kind === "precondition_failed" ? CHANGED_MEANWHILE : HAS_ORDERS;
});
