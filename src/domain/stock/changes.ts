import {
  type Authored,
  type Authorship,
  entryOfChange,
  type JournalContent,
  type JournalSubject,
  type NewJournalEntry,
} from "../journal.ts";
import type { Animal } from "./animal.ts";
import type { Category } from "./category.ts";
import type { Order } from "./order.ts";

// What the journal says of animals, categories and orders that a person has changed. Without an author there is no
// entry: it was a client of the API.

export const entryOfAddition = (author: Authorship, animal: Animal): NewJournalEntry | undefined =>
  entryOfChange("animals add", author, subjectOf("animal", animal), undefined, contentOfAnimal(animal));

export const entryOfUpdate = (
  { author }: Authored,
  before: Animal | undefined,
  after: Animal,
): NewJournalEntry | undefined =>
  author &&
  before &&
  entryOfChange("animals update", author, subjectOf("animal", before), contentOfAnimal(before), contentOfAnimal(after));

export const entryOfDeletion = ({ author }: Authored, animal: Animal): NewJournalEntry | undefined =>
  author && entryOfChange("animals delete", author, subjectOf("animal", animal), contentOfAnimal(animal), undefined);

export const entryOfNaming = (
  { author }: Authored,
  before: Category | undefined,
  after: Category,
): NewJournalEntry | undefined =>
  author &&
  entryOfChange("categories name", author, subjectOf("category", before ?? after), before && { name: before.name }, {
    name: after.name,
  });

export const entryOfUnnaming = ({ author }: Authored, category: Category): NewJournalEntry | undefined =>
  author &&
  entryOfChange("categories unname", author, subjectOf("category", category), { name: category.name }, undefined);

/** The animal's status follows, and is not mentioned. */
export const entryOfOrderUpdate = (
  { author }: Authored,
  before: Order | undefined,
  after: Order,
): NewJournalEntry | undefined =>
  author &&
  entryOfChange(
    "orders update",
    author,
    { kind: "order", id: String(after.id) },
    { status: before?.status ?? null },
    { status: after.status },
  );

const subjectOf = (
  kind: "animal" | "category",
  { id, name }: { readonly id: bigint; readonly name: string },
): JournalSubject => ({ kind, id: String(id), name });

/** A number of a category may have more digits than a number of JavaScript. */
const contentOfAnimal = ({ name, categoryId, status }: Animal): JournalContent => ({
  name,
  categoryId: String(categoryId),
  status,
});
