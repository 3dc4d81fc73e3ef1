import type { Database } from "bun:sqlite";
import type { AnimalStatus } from "../../domain/animal.ts";
import { completed, type Once, type Written } from "../../domain/once.ts";
import { animalStatusAfter, newOrder, type OrderStatus, PLACING } from "../../domain/order.ts";
import { orderOf, type Row, SELECTED_ORDER, SWEEP_MAX_ROWS, TALLY_COLUMNS, tallyValues } from "../rows.ts";
import { type KeyTally, type MoveResult, type PlaceResult, StoreUnavailable } from "../store.ts";
import { attempt } from "./database.ts";
import { repeatFinder } from "./once.ts";

/**
 * Every change that a running service makes. What a method takes and gives is plain data, and little
 * of it, since it goes from one thread to another; each is called within a transaction.
 */
export interface Writer {
  /** The id that the animal got. */
  createAnimal(name: string, categoryId: bigint, status: AnimalStatus, once: Once | undefined): Written<bigint>;
  placeOrder(animalId: bigint, nowMs: number, once: Once | undefined): Written<PlaceResult>;
  moveOrder(id: bigint, to: OrderStatus, nowMs: number): MoveResult;
  saveTallies(tallies: readonly KeyTally[]): void;
  /** True when there may be more to sweep. */
  sweep(answeredUntilMs: number): boolean;
}

export type WriteName = keyof Writer;

/** A change that is asked for. */
export type Write = readonly [name: WriteName, ...args: unknown[]];

/** What became of a write. An error's class would not survive the way to another thread. */
export type Outcome =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "unavailable"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

export type WriteTogether = (writes: readonly Write[]) => Outcome[];

/**
 * Group commit: what waits together is one transaction, and is on disk when this returns. If that
 * cannot be, each is tried alone, so that one that fails harms no other.
 */
export function writerOf(db: Database): WriteTogether {
  const writer = prepareWriter(db);
  const perform = ([name, ...args]: Write): unknown => (writer[name] as (...args: unknown[]) => unknown)(...args);
  const transaction = db.transaction((writes: readonly Write[]) => writes.map(perform));

  return function writeTogether(writes): Outcome[] {
    try {
      return attempt(() => transaction.immediate(writes)).map((result) => ({ kind: "done", result }));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof StoreUnavailable) return writes.map(() => ({ kind: "unavailable", message }));
      return writes.length === 1 ? [{ kind: "failed", message }] : writes.flatMap((write) => writeTogether([write]));
    }
  };
}

function prepareWriter(db: Database): Writer {
  const insertAnimal = db.prepare("INSERT INTO animals (name, category_id, status) VALUES (?, ?, ?)");
  const animalStatus = db.prepare<{ status: AnimalStatus }, [bigint]>("SELECT status FROM animals WHERE id = ?");
  const setAnimalStatus = db.prepare("UPDATE animals SET status = ? WHERE id = ?");
  const getOrder = db.prepare<Row, [bigint]>(`SELECT ${SELECTED_ORDER} FROM orders WHERE id = ?`);
  const insertOrder = db.prepare("INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (?, ?, ?, ?)");
  const setOrderStatus = db.prepare("UPDATE orders SET status = ?, updated_at = ? WHERE id = ?");
  const putTally = db.prepare(
    `INSERT OR REPLACE INTO tallies (${TALLY_COLUMNS.join(", ")}) VALUES (${TALLY_COLUMNS.map(() => "?").join(", ")})`,
  );
  const repeatOf = repeatFinder(db);
  const keepAnswer = db.prepare(
    "INSERT OR REPLACE INTO answers (key_id, token, fingerprint, answered_at, status, body, location) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const dropAnswers = db.prepare(
    "DELETE FROM answers WHERE (key_id, token) IN (SELECT key_id, token FROM answers WHERE answered_at <= ? LIMIT ?)",
  );

  /** A repetition gets the first answer; else the answer to an id that is assigned now is kept with it. */
  function onlyOnce<Result>(
    once: Once | undefined,
    write: () => Result,
    idIn: (result: Result) => bigint | undefined,
  ): Written<Result> {
    const repeat = repeatOf(once);
    if (repeat) return repeat;
    const result = write();
    const id = idIn(result);
    if (once && id !== undefined) {
      const { status, body, location } = completed(once.draft, id);
      keepAnswer.run(once.keyId, once.token, once.fingerprint, once.nowMs, status, body, location);
    }
    return { kind: "done", result };
  }

  function placeOrder(animalId: bigint, nowMs: number): PlaceResult {
    const animal = animalStatus.get(animalId);
    if (!animal) return { kind: "no_such_animal" };
    if (animal.status !== PLACING.from) return { kind: "not_available", status: animal.status };
    setAnimalStatus.run(PLACING.to, animalId);
    const order = newOrder(animalId, nowMs);
    const { lastInsertRowid } = insertOrder.run(animalId, order.status, nowMs, nowMs);
    return { kind: "placed", order: { id: BigInt(lastInsertRowid), ...order } };
  }

  return {
    createAnimal: (name, categoryId, status, once) =>
      onlyOnce(
        once,
        () => BigInt(insertAnimal.run(name, categoryId, status).lastInsertRowid),
        (id) => id,
      ),

    placeOrder: (animalId, nowMs, once) =>
      onlyOnce(
        once,
        () => placeOrder(animalId, nowMs),
        (result) => (result.kind === "placed" ? result.order.id : undefined),
      ),

    moveOrder(id, to, nowMs) {
      const row = getOrder.get(id);
      if (!row) return { kind: "no_such_order" };
      const order = orderOf(row);
      const animalBecomes = animalStatusAfter(order.status, to);
      if (animalBecomes === undefined) return { kind: "forbidden", from: order.status };
      setOrderStatus.run(to, nowMs, id);
      setAnimalStatus.run(animalBecomes, order.animalId);
      return { kind: "moved", order: { ...order, status: to, updatedAtMs: nowMs } };
    },

    saveTallies(tallies) {
      for (const [keyId, tally] of tallies) putTally.run(keyId, ...tallyValues(tally));
    },

    sweep(answeredUntilMs) {
      const { changes } = dropAnswers.run(answeredUntilMs, SWEEP_MAX_ROWS);
      return Number(changes) === SWEEP_MAX_ROWS;
    },
  };
}
