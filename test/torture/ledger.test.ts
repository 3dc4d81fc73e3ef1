import { describe, expect, test } from "bun:test";
import { fold } from "../../src/domain/stock/fold.ts";
import { Scoreboard } from "../../torture/common/scoreboard.ts";
import { type Contents, type FoundAnimal, gather } from "../../torture/ledger/contents.ts";
import { Ledger } from "../../torture/ledger/ledger.ts";

// The ledger, with which crash, power, fleet, rolling and outages compare databases, must notice every mistake.

const VIEW = { name: "worker #1 Rex", categoryId: 7n, status: "available", orders: [] };
const UPDATED = { ...VIEW, name: "worker #1 Mia" };

type Row = Partial<Omit<FoundAnimal, "orders">> & { readonly orders?: readonly string[] };

function contents(...rows: Row[]): Contents {
  const animals = rows.map((row) => {
    const { id = 1n, name = VIEW.name, categoryId = 7n, status = "available", foldedName = fold(name) } = row;
    return { id, name, categoryId, status, foldedName };
  });
  const orders = rows.flatMap(({ id = 1n, orders: statuses = [] }, i) =>
    statuses.map((status, j) => ({ id: BigInt(100 * i + j + 1), animalId: id, status })),
  );
  return { animals: gather(animals, orders), categories: new Map(), keys: new Map(), brokenSales: [] };
}

/** A ledger of one animal, and its verdict on a database. */
function ledgerOfOne() {
  let now = 0;
  const board = new Scoreboard();
  const ledger = new Ledger(board, () => ++now);
  const holding = ledger.hold("worker #1");
  const ask = (view: typeof VIEW | undefined) => holding.history.send(view, ledger.now());
  const acknowledge = (view: typeof VIEW | undefined) => Object.assign(ask(view), { ackedAt: ledger.now() });
  const found = (database: Contents): readonly string[] => {
    const before = board.violations.length;
    ledger.check(database, ledger.now(), "test");
    return board.violations.slice(before);
  };
  acknowledge(VIEW);
  ledger.noteId(holding, 1n, 0n);
  return { ledger, board, holding, ask, acknowledge, found };
}

describe("the ledger", () => {
  test("an acknowledged update is there, and nothing else is right", () => {
    const { acknowledge, found } = ledgerOfOne();
    acknowledge(UPDATED);
    expect(found(contents({ name: UPDATED.name }))).toEqual([]);
    expect(found(contents({}))).toEqual([expect.stringContaining("1 lost")]);
    expect(found(contents())).toEqual([expect.stringContaining("1 lost")]);
    for (const wrong of [
      { categoryId: 8n },
      { status: "sold" },
      { orders: ["placed"] },
      { id: 2n },
      { foldedName: "x" },
    ])
      expect(found(contents({ name: UPDATED.name, ...wrong }))).toEqual([expect.stringContaining("1 wrong")]);
  });

  test("an acknowledged deletion is gone and stays gone, and its id is never that of another", () => {
    const { ledger, board, acknowledge, found } = ledgerOfOne();
    acknowledge(undefined);
    expect(found(contents())).toEqual([]);
    expect(found(contents({}))).toEqual([expect.stringContaining("1 lost")]);
    const other = ledger.hold("worker #2");
    const view = { ...VIEW, name: "worker #2 Rex" };
    Object.assign(other.history.send(view, ledger.now()), { ackedAt: ledger.now() });
    expect(found(contents({ name: view.name }))).toEqual([expect.stringContaining("which was that of worker #1")]);
    ledger.noteId(other, 1n, 1n);
    expect(board.violations.slice(-2)).toEqual([
      expect.stringContaining("1 had been given before"),
      expect.stringContaining("the id 1 of worker #1 was given to worker #2"),
    ]);
  });

  test("what is in doubt is one of the two, until what is there decides", () => {
    const { ledger, holding, ask, found } = ledgerOfOne();
    ask(UPDATED);
    expect(found(contents({}))).toEqual([]);
    expect(found(contents({ name: UPDATED.name }))).toEqual([]);
    expect(found(contents())).toEqual([expect.stringContaining("1 lost")]);
    ledger.settle(contents({}));
    expect(holding.history.open).toBeUndefined();
    expect(found(contents({ name: UPDATED.name }))).toEqual([expect.stringContaining("1 wrong")]);
    ask(undefined);
    ledger.settle(contents());
    expect(found(contents({}))).toEqual([expect.stringContaining("1 lost")]);
  });

  test("an id counts from the moment of its answer: an earlier attempt of the same write may have had another", () => {
    let now = 10;
    const ledger = new Ledger(new Scoreboard(), () => now);
    const holding = ledger.hold("worker #1");
    const step = holding.history.send(VIEW, now);
    now = 20;
    step.ackedAt = now;
    ledger.noteId(holding, 2n, 0n);
    for (const [at, id, isWrong] of [
      [15, 1n, false],
      [20, 1n, true],
      [20, 2n, false],
    ] as const) {
      const before = ledger.board.violations.length;
      ledger.check(contents({ id }), at, "test");
      expect([at, id, ledger.board.violations.length > before]).toEqual([at, id, isWrong]);
    }
  });

  test("what nobody asked for is wrong, twice the same is doubled, and categories are compared too", () => {
    const { ledger, found } = ledgerOfOne();
    expect(found(contents({}, { id: 2n }))).toEqual([expect.stringContaining("1 doubled")]);
    expect(found(contents({}, { id: 2n, name: "stray" }))).toEqual([
      expect.stringContaining("stray, which nobody asked"),
    ]);
    const naming = ledger.category(5n).send("Dogs", ledger.now());
    naming.ackedAt = ledger.now();
    const withCategories = (...categories: [bigint, string][]) => ({
      ...contents({}),
      categories: new Map(categories),
    });
    expect(found(withCategories([5n, "Dogs"]))).toEqual([]);
    expect(found(withCategories([5n, "Cats"]))).toEqual([expect.stringContaining("1 wrong")]);
    expect(found(withCategories())).toEqual([expect.stringContaining("1 lost")]);
    expect(found(withCategories([5n, "Dogs"], [6n, "Cats"]))).toEqual([expect.stringContaining("nobody asked for")]);
  });

  test("a tag stands for one content of an animal", () => {
    const { ledger, board, holding } = ledgerOfOne();
    ledger.noteTag(holding, "a", '"tag-of-content-a"');
    ledger.noteTag(holding, "b", '"tag-of-content-b"');
    ledger.noteTag(holding, "a", '"tag-of-content-a"');
    expect(board.violations).toEqual([]);
    ledger.noteTag(holding, "c", '"tag-of-content-a"');
    ledger.noteTag(holding, "b", '"another-tag-of-b"');
    ledger.noteTag(holding, "d", null);
    expect(board.violations).toHaveLength(3);
  });
});
