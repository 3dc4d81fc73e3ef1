import { expect, test } from "bun:test";
import { firstUnfinished, joinedImports } from "../../domain/joined-imports.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import { lineOfEntry } from "./journal-views.ts";

const ANNA = { id: 1n, by: "Anna", via: "console", atMs: Date.parse("2027-03-01T12:00:00Z") } as const;
const lineOf = (entry: Pick<JournalEntry, "action" | "subject" | "before" | "after">): string =>
  lineOfEntry({ ...ANNA, ...entry });

test("changes to animals, categories and orders are a line each, with their numbers exact", () => {
  const rex = { kind: "animal", id: "9007199254740993", name: "Rex" } as const;
  const content = { name: "Rex", categoryId: "7", status: "sold" };
  expect(lineOf({ action: "animals add", subject: rex, after: content })).toBe(
    "2027-03-01 12:00:00Z  Anna  animals add 9007199254740993 (Rex)  category id 7, status sold",
  );
  expect(lineOf({ action: "animals update", subject: rex, before: { name: "Rex" }, after: { name: "Rexi" } })).toBe(
    "2027-03-01 12:00:00Z  Anna  animals update 9007199254740993 (Rex)  name Rex → Rexi",
  );
  expect(lineOf({ action: "animals delete", subject: rex, before: content })).toContain(
    "animals delete 9007199254740993 (Rex)",
  );
  const dogs = { kind: "category", id: "-7", name: "Dogs" } as const;
  expect(lineOf({ action: "categories name", subject: dogs, after: { name: "Dogs" } })).toBe(
    "2027-03-01 12:00:00Z  Anna  categories name -7 (Dogs)",
  );
  const order = { kind: "order", id: "42" } as const;
  expect(
    lineOf({ action: "orders update", subject: order, before: { status: "placed" }, after: { status: "approved" } }),
  ).toBe("2027-03-01 12:00:00Z  Anna  orders update 42  status placed → approved");
});

test("an import is one line from its beginning to its end, unless it was interrupted", () => {
  const entryOf = (
    action: "animals import" | "animals undo",
    id: string,
    after: JournalEntry["after"],
    by = "Anna",
  ) => ({
    ...ANNA,
    by,
    action,
    subject: { kind: "import", id } as const,
    after,
    before: undefined,
  });
  const pets = entryOf("animals import", "1", { state: "begun", source: "pets.csv", animals: 2 });
  const more = entryOf("animals import", "2", { state: "begun", source: "more.csv", animals: 3 });
  const entries = [
    pets,
    more,
    entryOf("animals import", "1", { state: "finished", added: 2 }),
    entryOf("animals undo", "1", { state: "begun", removed: 0, kept: 0 }),
    entryOf("animals import", "2", { state: "continued", source: "more.csv", animals: 3, added: 1 }, "Bert"),
    entryOf("animals import", "2", { state: "finished", added: 3 }, "Bert"),
    entryOf("animals undo", "1", { state: "finished", removed: 1, kept: 1 }),
    entryOf("animals undo", "2", { state: "begun", removed: 0, kept: 0 }),
  ];
  expect(joinedImports(entries).map((entry) => lineOfEntry(entry).slice("2027-03-01 12:00:00Z  ".length))).toEqual([
    "Anna  animals import 2  state begun, source more.csv, animals 3",
    "Anna  animals import 1  source pets.csv, animals 2, added 2",
    "Bert  animals import 2  state continued, source more.csv, animals 3, added 1",
    "Bert  animals import 2  state finished, added 3",
    "Anna  animals undo 1  removed 1, kept 1",
    "Anna  animals undo 2  state begun, removed 0, kept 0",
  ]);
  expect([0, 1, 2, 3, 4, entries.length].map((count) => firstUnfinished(entries.slice(0, count)))).toEqual([
    0, 0, 0, 1, 1, 7,
  ]);
});
