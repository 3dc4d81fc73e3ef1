import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { BROKEN_SALES } from "../../test/harness/orders.ts";
import { History, type Moment } from "./history.ts";
import type { Scoreboard } from "./scoreboard.ts";

/** An animal with its orders; undefined before it exists. */
export type AnimalView = { readonly status: string; readonly orders: readonly string[] } | undefined;
/** A key; undefined before it exists. */
export type KeyView = "active" | "revoked" | undefined;

/** An animal that one client looks after. Its name is used once, so it is found again whatever id it has got. */
export interface Holding {
  readonly name: string;
  readonly categoryId: bigint;
  readonly history: History<AnimalView>;
  /** Known once an answer has said so. */
  id: bigint | undefined;
  readonly orderIds: bigint[];
}

export interface FoundAnimal {
  readonly id: bigint;
  readonly categoryId: bigint;
  readonly status: string;
  readonly orders: { readonly id: bigint; readonly status: string }[];
}

/** The bookkeeping of everything that was asked for and acknowledged, and the comparison with what is there. */
export class Ledger {
  readonly holdings: Holding[] = [];
  readonly #keys = new Map<string, History<KeyView>>();
  /** Which animal had which id, whoever has seen it. */
  readonly #nameById = new Map<bigint, string>();
  #highestId = 0n;

  constructor(
    readonly board: Scoreboard,
    readonly now: () => Moment,
  ) {}

  hold(name: string, categoryId: bigint): Holding {
    const history = new History<AnimalView>(undefined, (view) => JSON.stringify(view) ?? "absent");
    const holding: Holding = { name, categoryId, history, id: undefined, orderIds: [] };
    this.holdings.push(holding);
    return holding;
  }

  key(name: string): History<KeyView> {
    const history = this.#keys.get(name) ?? new History<KeyView>(undefined, (view) => view ?? "absent");
    this.#keys.set(name, history);
    return history;
  }

  /** The highest id that any answer has given so far: one that is asked for now must be above it. */
  get highestId(): bigint {
    return this.#highestId;
  }

  /** An answer has given an animal its id. */
  noteId(holding: Holding, id: bigint, above: bigint): void {
    const { board } = this;
    board.check(id > above, () => `${holding.name} got the id ${id}, but ${above} had been given before`);
    board.check(holding.id === undefined || holding.id === id, () => `${holding.name} was ${holding.id}, is ${id}`);
    holding.id = id;
    this.#noteName(id, holding.name);
    if (id > this.#highestId) this.#highestId = id;
  }

  #noteName(id: bigint, name: string): void {
    const known = this.#nameById.get(id);
    this.board.check(known === undefined || known === name, () => `the id ${id} of ${known} was given to ${name}`);
    this.#nameById.set(id, name);
  }

  /**
   * Compares a database with what was acknowledged until a moment, and sent until the same or a later one. No file
   * is an empty store.
   */
  check(database: string | Contents, at: Moment, where: string, sentUntil = at): void {
    const { animals, keys, brokenSales } = contentsOf(database);
    const problems: Problem[] = [
      ...this.#compareAnimals(animals, at, sentUntil),
      ...this.#compareKeys(keys, at, sentUntil),
      ...brokenSales.map((row) => ({ kind: "wrong", what: show(row) })),
    ];
    // One violation for all of a kind: a store that was lost would have thousands.
    for (const kind of new Set(problems.map((problem) => problem.kind))) {
      const those = problems.filter((problem) => problem.kind === kind);
      if (kind === "lost" || kind === "doubled") this.board.count(kind, those.length);
      this.board.violation(`${where}: ${those.length} ${kind}, such as ${those[0]?.what}`);
    }
  }

  *#compareAnimals(found: Map<string, FoundAnimal[]>, at: Moment, sentUntil: Moment): Generator<Problem> {
    const names = new Set(found.keys());
    for (const holding of this.holdings) {
      const { name, history } = holding;
      const [first, ...copies] = found.get(name) ?? [];
      names.delete(name);
      for (const { id } of copies) yield { kind: "doubled", what: `${name}, also ${id}` };
      const kind = history.judge(viewOf(first), at, sentUntil);
      if (kind !== "as promised") yield { kind, what: `${name}: ${history.describe()}, found ${show(viewOf(first))}` };
      if (first && !hasValuesOf(holding, first))
        yield { kind: "wrong", what: `${show(holding)}, found ${show(first)}` };
    }
    for (const name of names) yield { kind: "wrong", what: `${name}, which nobody asked for` };
  }

  *#compareKeys(found: Map<string, KeyView>, at: Moment, sentUntil: Moment): Generator<Problem> {
    for (const [name, history] of this.#keys) {
      const kind = history.judge(found.get(name), at, sentUntil);
      if (kind !== "as promised") yield { kind, what: `key ${name}: ${history.describe()}, found ${found.get(name)}` };
    }
  }

  /** After a check: what is there decides what became of requests that were not answered. */
  settle(database: string | Contents): void {
    const { animals, keys } = contentsOf(database);
    for (const holding of this.holdings) {
      const found = animals.get(holding.name)?.[0];
      holding.history.settle(viewOf(found), this.now());
      if (!found) continue;
      this.#noteName(found.id, holding.name);
      holding.id = found.id;
      holding.orderIds.splice(0, holding.orderIds.length, ...found.orders.map(({ id }) => id));
    }
    for (const [name, history] of this.#keys) history.settle(keys.get(name), this.now());
  }
}

interface Problem {
  readonly kind: string;
  readonly what: string;
}

/** Whether ids and values are those that were sent and answered, as far as there were answers. */
function hasValuesOf({ categoryId, id, orderIds }: Holding, found: FoundAnimal): boolean {
  const orders = orderIds.slice(0, found.orders.length);
  return (
    found.categoryId === categoryId &&
    (id === undefined || found.id === id) &&
    orders.every((orderId, i) => found.orders[i]?.id === orderId)
  );
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "nothing";

const viewOf = (found: FoundAnimal | undefined): AnimalView =>
  found && { status: found.status, orders: found.orders.map(({ status }) => status) };

/** What the bookkeeping is compared with. */
export interface Contents {
  readonly animals: Map<string, FoundAnimal[]>;
  readonly keys: Map<string, KeyView>;
  readonly brokenSales: readonly unknown[];
}

/** A path is that of an SQLite file. */
const contentsOf = (database: string | Contents): Contents =>
  typeof database === "string" ? read(database) : database;

function read(path: string): Contents {
  const empty = { animals: new Map(), keys: new Map(), brokenSales: [] };
  if (!existsSync(path)) return empty;
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    const isEmpty = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'orders'").get() === null;
    if (isEmpty) return empty;
    return { animals: readAnimals(db), keys: readKeys(db), brokenSales: db.query(BROKEN_SALES).all() };
  } finally {
    db.close();
  }
}

function readAnimals(db: Database): Map<string, FoundAnimal[]> {
  const byId = new Map<bigint, FoundAnimal>();
  const byName = new Map<string, FoundAnimal[]>();
  type Row = { id: bigint; name: string; category_id: bigint; status: string };
  for (const { id, name, category_id, status } of db
    .query("SELECT * FROM animals ORDER BY id")
    .iterate() as Iterable<Row>) {
    const animal: FoundAnimal = { id, categoryId: category_id, status, orders: [] };
    byId.set(id, animal);
    byName.set(name, [...(byName.get(name) ?? []), animal]);
  }
  type OrderRow = { id: bigint; animal_id: bigint; status: string };
  for (const { id, animal_id, status } of db.query("SELECT * FROM orders ORDER BY id").iterate() as Iterable<OrderRow>)
    byId.get(animal_id)?.orders.push({ id, status });
  return byName;
}

function readKeys(db: Database): Map<string, KeyView> {
  const rows = db.query("SELECT name, revoked_at AS revokedAt FROM keys").all() as {
    name: string;
    revokedAt: unknown;
  }[];
  return new Map(rows.map(({ name, revokedAt }) => [name, revokedAt === null ? "active" : "revoked"]));
}
