import { describe, expect, test } from "bun:test";
import type { JournalEntryView } from "../../src/console/api/index.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { actionOf, changesOf } from "./journal.ts";

const entry = (more: Partial<JournalEntryView>): JournalEntryView => ({
  id: "1",
  atMs: 0,
  by: "anna",
  via: "console",
  action: "keys edit",
  subject: { kind: "key", id: "key_1", name: "Storefront" },
  before: null,
  after: null,
  ...more,
});

describe("what was done", () => {
  test.each([
    ["keys revoke", null, null, "Revoked key"],
    ["categories name", null, { name: "Dogs" }, "Named category"],
    ["categories name", { name: "Dog" }, { name: "Dogs" }, "Renamed category"],
    ["animals import", null, { state: "begun" }, "Started importing"],
    ["animals import", { state: "interrupted" }, { state: "continued" }, "Resumed importing"],
    ["animals import", null, { state: null, added: 5 }, "Imported"],
    ["animals import", null, {}, "Worked on the import of"],
    ["animals undo", null, { state: null, removed: 5, kept: 0 }, "Undid the import of"],
    ["animals undo", null, { state: "begun", removed: 0, kept: 0 }, "Started undoing the import of"],
    ["animals undo", null, { state: "finished", removed: 5, kept: 0 }, "Undid the import of"],
    ["of another release", null, null, "Of another release"],
  ])("%j is told in words", (action, before, after, words) => expect(actionOf({ action, before, after })).toBe(words));
});

describe("what is different", () => {
  test("is before → after, without what the command says already", () => {
    const created = { name: "Storefront", createdAt: "2026-01-01T00:00:00.000Z", plan: "pro", expiresAt: null };
    expect(changesOf(entry({ action: "keys create", after: created }))).toEqual([
      { what: "plan", before: undefined, after: "Pro" },
    ]);
    expect(changesOf(entry({ before: { name: "Shop" }, after: { name: "Storefront" } }))).toEqual([
      { what: "name", before: "Shop", after: "Storefront" },
    ]);
    expect(changesOf(entry({ action: "keys revoke", before: { revokedAt: null }, after: { revokedAt: "x" } }))).toEqual(
      [],
    );
  });

  test("has numbers in groups, times as moments, access in words, and ids exact", () => {
    const before = {
      perDay: 10000,
      scopes: [...SCOPES],
      categoryId: "9007199254740993",
      expiresAt: "2026-01-01T00:00:00.000Z",
    };
    expect(
      changesOf(entry({ before, after: { perDay: 20000, scopes: [], categoryId: null, expiresAt: null } })),
    ).toEqual([
      { what: "requests per day", before: "10,000", after: "20,000" },
      { what: "access", before: "Everything", after: "Nothing" },
      { what: "category", before: "9007199254740993", after: undefined },
      { what: "expires", before: { ms: Date.UTC(2026, 0, 1) }, after: undefined },
    ]);
  });

  test("of an import is how many animals it has, and its file only where that is not said already", () => {
    const begun = { state: "begun", source: "spring.csv", animals: 3200 };
    const named = { kind: "import", id: "1", name: "spring.csv" } as const;
    const words = (more: Partial<JournalEntryView>) =>
      changesOf(entry({ action: "animals import", ...more })).map(({ what, after }) => `${what} ${after}`);
    expect(words({ subject: named, after: begun })).toEqual(["animals 3,200"]);
    expect(words({ subject: named, after: { state: "finished", added: 3200 } })).toEqual(["animals added 3,200"]);
    expect(words({ subject: { kind: "import", id: "1" }, after: begun })).toEqual(["file spring.csv", "animals 3,200"]);
  });

  test("of an undo is said when it has ended", () => {
    const undo = (state: string) => entry({ action: "animals undo", after: { state, removed: 3, kept: 1 } });
    expect(changesOf(undo("begun"))).toEqual([]);
    expect(changesOf(undo("finished")).map(({ what, after }) => `${what} ${after}`)).toEqual([
      "animals deleted 3",
      "animals kept 1",
    ]);
  });

  test("of another release is shown as it is", () => {
    const after = { oldSecretsWorkUntil: "soon", isDry: true, tags: ["a", "b"], odd: { deep: 1 } };
    expect(changesOf(entry({ after })).map(({ what, after }) => [what, after])).toEqual([
      ["old secrets work until", "soon"],
      ["is dry", "yes"],
      ["tags", "a, b"],
      ["odd", '{"deep":1}'],
    ]);
  });
});
