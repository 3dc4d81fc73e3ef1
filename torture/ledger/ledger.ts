import { fold } from "../../src/domain/stock/fold.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { type Contents, type FoundAnimal, type KeyView, readSqlite } from "./contents.ts";
import { History, type Moment } from "./history.ts";

/** An animal with its orders; undefined before its creation and after its deletion. */
export type AnimalView =
  | {
      readonly name: string;
      readonly categoryId: bigint;
      readonly status: string;
      readonly orders: readonly string[];
    }
  | undefined;
/** A category's name; undefined if it has none. */
export type CategoryView = string | undefined;

/** The record of one animal, which only one client writes to. */
export interface Holding {
  /** The prefix of its name, which never changes. */
  readonly handle: string;
  readonly history: History<AnimalView>;
  /** Undefined until a response has told it. */
  id: bigint | undefined;
  readonly orders: { readonly id: bigint; readonly since: Moment }[];
  /** The content that each ETag was sent with. */
  readonly contentByTag: Map<string, string>;
}

/** Records all changes that were requested and acknowledged, and compares databases with them. */
export class Ledger {
  readonly holdings: Holding[] = [];
  readonly #categories = new Map<bigint, History<CategoryView>>();
  readonly #keys = new Map<string, History<KeyView>>();
  /** The owners of ids since each was first seen, deleted animals included. */
  readonly #ownerById = new Map<bigint, { readonly handle: string; readonly since: Moment }>();
  #highestId = 0n;

  constructor(
    readonly board: Scoreboard,
    readonly now: () => Moment,
  ) {}

  hold(handle: string): Holding {
    const history = new History<AnimalView>(undefined, (view) => (view ? show(view) : "absent"));
    const holding: Holding = { handle, history, id: undefined, orders: [], contentByTag: new Map() };
    this.holdings.push(holding);
    return holding;
  }

  category(id: bigint): History<CategoryView> {
    const history = this.#categories.get(id) ?? new History<CategoryView>(undefined, (view) => view ?? "absent");
    this.#categories.set(id, history);
    return history;
  }

  key(name: string): History<KeyView> {
    const history = this.#keys.get(name) ?? new History<KeyView>(undefined, (view) => view ?? "absent");
    this.#keys.set(name, history);
    return history;
  }

  /** The highest id in any response so far: new ids must be above it. */
  get highestId(): bigint {
    return this.#highestId;
  }

  /** Records the id that a response has given an animal. */
  noteId(holding: Holding, id: bigint, above: bigint): void {
    const { board } = this;
    const { handle } = holding;
    board.check(id > above, () => `${handle} got the id ${id}, but ${above} had been given before`);
    board.check(holding.id === undefined || holding.id === id, () => `${handle} was ${holding.id}, is ${id}`);
    holding.id = id;
    this.#noteOwner(id, handle);
    if (id > this.#highestId) this.#highestId = id;
  }

  /** Records the id that a response has given the animal's newest order. */
  noteOrder({ orders }: Holding, id: bigint): void {
    orders.push({ id, since: this.now() });
  }

  #noteOwner(id: bigint, handle: string): void {
    const known = this.#ownerById.get(id);
    this.board.check(
      known === undefined || known.handle === handle,
      () => `the id ${id} of ${known?.handle} was given to ${handle}`,
    );
    this.#ownerById.set(id, known ?? { handle, since: this.now() });
  }

  /** Checks a response's ETag: the same content always has the same tag, and no other content has it. */
  noteTag({ handle, contentByTag }: Holding, content: string, tag: string | null): void {
    const { board } = this;
    if (!board.check(tag !== null && ETAG.test(tag), () => `${handle} was answered with the ETag ${tag}`)) return;
    const others = [...contentByTag].filter(([known, its]) => (known === tag) !== (its === content));
    board.check(others.length === 0, () => `${handle}: ${tag} stands for ${content}, and ${others[0]}`);
    contentByTag.set(tag as string, content);
  }

  /**
   * Compares a database with the changes acknowledged by a time, and sent by the same or a later time. A string is the
   * path of an SQLite file.
   */
  check(database: string | Contents, at: Moment, where: string, sentUntil = at): void {
    const { animals, categories, keys, brokenSales } = contentsOf(database);
    const problems: Problem[] = [
      ...this.#compareAnimals(animals, at, sentUntil),
      ...compare("category", this.#categories, categories, at, sentUntil),
      ...[...categories.keys()].filter((id) => !this.#categories.has(id)).map(unwanted),
      ...compare("key", this.#keys, keys, at, sentUntil),
      ...brokenSales.map((row) => ({ kind: "wrong", what: show(row) })),
    ];
    // One violation per kind: a lost store would have thousands.
    for (const kind of new Set(problems.map((problem) => problem.kind))) {
      const those = problems.filter((problem) => problem.kind === kind);
      if (kind === "lost" || kind === "doubled") this.board.count(kind, those.length);
      this.board.violation(`${where}: ${those.length} ${kind}, such as ${those[0]?.what}`);
    }
  }

  *#compareAnimals(found: Map<string, FoundAnimal[]>, at: Moment, sentUntil: Moment): Generator<Problem> {
    const handles = new Set(found.keys());
    for (const holding of this.holdings) {
      const { handle, history } = holding;
      const [first, ...copies] = found.get(handle) ?? [];
      handles.delete(handle);
      for (const { id } of copies) yield { kind: "doubled", what: `${handle}, also ${id}` };
      const kind = history.judge(viewOf(first), at, sentUntil);
      if (kind !== "as promised")
        yield { kind, what: `${handle}: ${history.describe()}, found ${show(viewOf(first))}` };
      if (!first) continue;
      if (!this.#hasIdsOf(holding, first, at)) yield { kind: "wrong", what: `${show(holding)}, found ${show(first)}` };
      const owner = this.#ownerAt(first.id, at) ?? handle;
      if (owner !== handle)
        yield { kind: "wrong", what: `${handle} has the id ${first.id}, which was that of ${owner}` };
      if (first.foldedName !== null && first.foldedName !== fold(first.name))
        yield { kind: "wrong", what: `${first.name} is searched by ${first.foldedName}` };
    }
    yield* [...handles].map(unwanted);
  }

  /** The owner of an id at a time. Earlier, the id may have belonged to a write that was rolled back. */
  #ownerAt(id: bigint, at: Moment): string | undefined {
    const owner = this.#ownerById.get(id);
    return owner && owner.since <= at ? owner.handle : undefined;
  }

  /** True if the ids are those in responses up to a time. An earlier attempt of the same write may have had others. */
  #hasIdsOf({ handle, id, orders }: Holding, found: FoundAnimal, at: Moment): boolean {
    const isOther = id !== undefined && found.id !== id && this.#ownerAt(id, at) === handle;
    return (
      !isOther &&
      found.orders.every(({ id }, i) => orders[i] === undefined || orders[i].since > at || orders[i].id === id)
    );
  }

  /** After a check: settles the outcomes of unanswered requests by the contents of the database. */
  settle(database: string | Contents): void {
    const { animals, categories, keys } = contentsOf(database);
    for (const holding of this.holdings) {
      const found = animals.get(holding.handle)?.[0];
      holding.history.settle(viewOf(found), this.now());
      if (!found) continue;
      this.#noteOwner(found.id, holding.handle);
      holding.id = found.id;
      const since = this.now();
      holding.orders.splice(0, holding.orders.length, ...found.orders.map(({ id }) => ({ id, since })));
    }
    for (const [id, history] of this.#categories) history.settle(categories.get(id), this.now());
    for (const [name, history] of this.#keys) history.settle(keys.get(name), this.now());
  }
}

/** The form of a strong ETag. */
const ETAG = /^"[\w-]{8,}"$/;

interface Problem {
  readonly kind: string;
  readonly what: string;
}

const unwanted = (name: unknown): Problem => ({ kind: "wrong", what: `${name}, which nobody asked for` });

function* compare<Name, View>(
  kindOfThing: string,
  promised: ReadonlyMap<Name, History<View | undefined>>,
  found: ReadonlyMap<Name, View>,
  at: Moment,
  sentUntil: Moment,
): Generator<Problem> {
  for (const [name, history] of promised) {
    const kind = history.judge(found.get(name), at, sentUntil);
    if (kind !== "as promised")
      yield { kind, what: `${kindOfThing} ${name}: ${history.describe()}, found ${found.get(name)}` };
  }
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Map) return [...part];
    return typeof part === "bigint" ? String(part) : part;
  }) ?? "nothing";

const viewOf = (found: FoundAnimal | undefined): AnimalView =>
  found && {
    name: found.name,
    categoryId: found.categoryId,
    status: found.status,
    orders: found.orders.map(({ status }) => status),
  };

const contentsOf = (database: string | Contents): Contents =>
  typeof database === "string" ? readSqlite(database) : database;
