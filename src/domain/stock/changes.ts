import {
  type Authored,
  type Authorship,
  entryOfChange,
  type JournalAction,
  type JournalContent,
  type NewJournalEntry,
} from "../journal.ts";
import type { Animal } from "./animal.ts";
import type { Category } from "./category.ts";
import type { Import, ImportBatch, ImportBeginning, UndoRequest } from "./import.ts";
import type { Order } from "./order.ts";

// Journal entries about animals, categories, orders and imports. Without an author there is none: a client of the API
// made the change.

/** Makes the entries about one kind of thing, with the values that a person can change. */
const entriesOn =
  <Thing extends { readonly id: bigint; readonly name?: string }>(
    kind: "animal" | "category" | "order",
    contentOf: (thing: Thing) => JournalContent,
  ) =>
  (action: JournalAction, { author }: Authored, before: Thing | undefined, after: Thing | undefined) => {
    const thing = before ?? after;
    if (!author || !thing) return undefined;
    const subject = { kind, id: String(thing.id), name: thing.name };
    return entryOfChange(action, author, subject, before && contentOf(before), after && contentOf(after));
  };

/** The number of a category is text here: it may exceed what a number of JavaScript holds. */
export const entryOnAnimal = entriesOn<Animal>("animal", ({ name, categoryId, status }) => ({
  name,
  categoryId: String(categoryId),
  status,
}));

export const entryOnCategory = entriesOn<Category>("category", ({ name }) => ({ name }));

/** The animal's status follows the order's, and is not mentioned. */
export const entryOnOrder = entriesOn<Order>("order", ({ status }) => ({ status }));

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

const entryAbout = (importId: bigint, action: JournalAction, { by, via, role, atMs }: Authorship): NewJournalEntry => ({
  action,
  subject: { kind: "import", id: String(importId) },
  by,
  via,
  role,
  atMs,
});
