import {
  type Authored,
  type Authorship,
  entryOfChange,
  type JournalAction,
  type JournalContent,
  type JournalSubject,
  type NewJournalEntry,
} from "../journal.ts";
import type { Animal } from "./animal.ts";
import type { Category } from "./category.ts";
import type { Import, ImportBatch, ImportBeginning, UndoRequest } from "./import.ts";
import type { Order } from "./order.ts";

// Journal entries about animals, categories, orders and imports. Without an author there is none: a client of the API
// made the change.

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

/** The animal's status follows the order's, and is not mentioned. */
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

export const entryOfImport = (beginning: ImportBeginning, { id, source, animals, added }: Import): NewJournalEntry => ({
  ...entryAbout(id, "animals import", beginning),
  ...(added > 0 ? { before: { state: "interrupted" } } : {}),
  after: { state: added > 0 ? "continued" : "begun", source, animals, ...(added > 0 ? { added } : {}) },
});

export const entryOfFinishedImport = (batch: ImportBatch, added: number): NewJournalEntry => ({
  ...entryAbout(batch.importId, "animals import", batch),
  after: { state: "finished", added },
});

export const entryOfUndo = (
  request: UndoRequest,
  { removed, kept }: Import,
  state: "begun" | "continued" | "finished",
): NewJournalEntry => ({
  ...entryAbout(request.importId, "animals undo", request),
  after: { state, removed, kept },
});

const entryAbout = (importId: bigint, action: JournalAction, { by, via, atMs }: Authorship): NewJournalEntry => ({
  action,
  subject: { kind: "import", id: String(importId) },
  by,
  via,
  atMs,
});

const subjectOf = (
  kind: "animal" | "category",
  { id, name }: { readonly id: bigint; readonly name: string },
): JournalSubject => ({ kind, id: String(id), name });

/** The number of a category is text here: it may exceed what a number of JavaScript holds. */
const contentOfAnimal = ({ name, categoryId, status }: Animal): JournalContent => ({
  name,
  categoryId: String(categoryId),
  status,
});
