import type { IdempotencyKey } from "../../../domain/idempotency.ts";
import type { Animal, NewAnimal } from "../../../domain/stock/animal.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import { NEW_ANIMAL, newAnimalValues, SAVED_RESPONSES, savedResponseValues } from "../../sql/rows.ts";
import { CONTENT_BEFORE_ID, contentAfterId } from "../../sql/saved-content.ts";
import type { SqlValue } from "../../sql/table.ts";
import { animalStatements } from "../../sql/tables/animals.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { IN_THE_WAY, wasBlocked } from "../connections/sql-state.ts";
import type { Pool } from "../database.ts";
import { Batches } from "./batches.ts";

const MAX_SIZE = 64;
const MAX_IN_PROGRESS = 2;

/** After a failed batch, so many of its items are tried at once, and the others wait no longer than this. */
const MAX_ALONE = 8;
const MAX_WAIT_ALONE_MS = 500;

const FIELDS = NEW_ANIMAL.join(", ");
const SAVED = SAVED_RESPONSES.columns.filter((column) => column !== "content").join(", ");
const KEY = SAVED_RESPONSES.key.join(", ");
/** A subquery is evaluated once per statement. */
const IDS = "(SELECT pg_get_serial_sequence('animals', 'id')::regclass)";
const CONTENT = `'${CONTENT_BEFORE_ID}' || assigned || content`;

const { create: CREATE } = animalStatements(POSTGRES);

/** Ids are assigned by position in the batch: returned rows have no order of their own. */
export const CREATE_SEVERAL = `WITH numbered AS MATERIALIZED (
    SELECT nextval(${IDS}) AS assigned, ${FIELDS}, ordinality
    FROM json_populate_recordset(NULL::animals, $1::text::json) WITH ORDINALITY AS asked),
  created AS (INSERT INTO animals (id, ${FIELDS}) SELECT assigned, ${FIELDS} FROM numbered)
  SELECT assigned AS id, ordinality FROM numbered`;

/**
 * Creates the animals whose idempotency key is new, and saves the responses. Keys are claimed in their order, so
 * that two batches cannot wait for each other. The id in the content tells the claims of one key apart. IS NULL rather
 * than NOT EXISTS, which a plan made while the table is small turns into a scan.
 */
export const CREATE_ONCE = `WITH numbered AS MATERIALIZED (
    SELECT nextval(${IDS}) AS assigned, new.* FROM (
      SELECT ${FIELDS}, ${SAVED}, content, ordinality
      FROM ROWS FROM (json_populate_recordset(NULL::animals, $1::text::json),
        json_populate_recordset(NULL::saved_responses, $2::text::json)) WITH ORDINALITY AS asked
      WHERE (SELECT true FROM saved_responses AS saved
        WHERE saved.key_id = asked.key_id AND saved.idempotency_key = asked.idempotency_key) IS NULL
      ORDER BY ${KEY}, ordinality) AS new),
  claimed AS (
    INSERT INTO saved_responses (${SAVED}, content) SELECT ${SAVED}, ${CONTENT} FROM numbered ORDER BY ${KEY}, ordinality
    ON CONFLICT DO NOTHING RETURNING content),
  created AS (
    INSERT INTO animals (id, ${FIELDS}) SELECT assigned, ${FIELDS} FROM numbered
    WHERE ${CONTENT} IN (SELECT content FROM claimed) RETURNING id)
  SELECT id, ordinality FROM created JOIN numbered ON id = assigned`;

/** An animal to be created once under an idempotency key. */
interface Creation {
  readonly animal: NewAnimal;
  readonly key: IdempotencyKey;
}

interface Placed {
  readonly id: bigint;
  /** Counts from 1. */
  readonly ordinality: bigint;
}

/** Creations without an idempotency key. Each batch shares one commit. */
export function plainCreations(pool: Pool): Batches<NewAnimal, Animal> {
  const createOne = async (animal: NewAnimal): Promise<Animal> => {
    const [row] = await pool.write<{ id: bigint }>(CREATE, newAnimalValues(animal));
    return { id: (row as { id: bigint }).id, ...animal };
  };
  const createSeveral = async (animals: readonly NewAnimal[]) => {
    const placed = await pool.write<Placed>(CREATE_SEVERAL, [JSON.stringify(animals.map(animalRow))]);
    return withIds(animals, placed) as Animal[];
  };
  return new Batches({
    maxSize: MAX_SIZE,
    maxInProgress: MAX_IN_PROGRESS,
    run: async (animals) => {
      if (animals.length === 1) return animals.map(createOne);
      return orEachAlone(animals, createSeveral, createOne);
    },
  });
}

/** Creations with an idempotency key. The value is undefined if the key has a saved response. */
export function onceOnlyCreations(pool: Pool): Batches<Creation, Animal | undefined> {
  const create = async (creations: readonly Creation[]) => {
    const animals = creations.map(({ animal }) => animal);
    const rows = [JSON.stringify(animals.map(animalRow)), JSON.stringify(creations.map(savedRow))];
    return withIds(animals, await pool.write<Placed>(CREATE_ONCE, rows));
  };
  const createOne = async (creation: Creation) => (await create([creation]))[0];
  return new Batches({
    maxSize: MAX_SIZE,
    maxInProgress: MAX_IN_PROGRESS,
    run: (creations) => (creations.length === 1 ? create(creations) : orEachAlone(creations, create, createOne)),
  });
}

/** If the batch fails, each item is tried alone, so that a bad one does not harm the others. */
async function orEachAlone<Item, Result>(
  items: readonly Item[],
  together: (items: readonly Item[]) => Promise<readonly Result[]>,
  alone: (item: Item) => Promise<Result>,
): Promise<readonly (Result | Promise<Result>)[]> {
  try {
    return await together(items);
  } catch (error) {
    if (error instanceof StoreUnavailable && !wasBlocked(error)) throw error;
    return eachAlone(items, alone);
  }
}

/** Runs a few at a time: waiting for a lock must not take all connections of the pool. */
function eachAlone<Item, Result>(
  items: readonly Item[],
  alone: (item: Item) => Promise<Result>,
): readonly Promise<Result>[] {
  const pending = items.map((item) => ({ item, ...Promise.withResolvers<Result>() }));
  const endMs = performance.now() + MAX_WAIT_ALONE_MS;
  let next = 0;
  const goOn = (): void => {
    const isInTime = performance.now() < endMs;
    const one = pending[next++];
    if (one && isInTime) one.resolve(alone(one.item).finally(goOn));
    else if (one) {
      for (const late of [one, ...pending.slice(next)]) late.reject(new StoreUnavailable(IN_THE_WAY));
      next = pending.length;
    }
  };
  for (let i = 0; i < MAX_ALONE; i++) goOn();
  return pending.map(({ promise }) => promise);
}

function withIds(animals: readonly NewAnimal[], placed: readonly Placed[]): (Animal | undefined)[] {
  const created: (Animal | undefined)[] = animals.map(() => undefined);
  for (const { id, ordinality } of placed) {
    const i = Number(ordinality) - 1;
    created[i] = { id, ...(animals[i] as NewAnimal) };
  }
  return created;
}

const animalRow = (animal: NewAnimal) => rowOf(NEW_ANIMAL, newAnimalValues(animal));

/** The content without the part before the id. */
const savedRow = ({ animal, key }: Creation) =>
  rowOf(SAVED_RESPONSES.columns, savedResponseValues(key, contentAfterId(animal)));

/** Integers are sent as text, which is exact. */
function rowOf(columns: readonly string[], values: readonly SqlValue[]): Record<string, SqlValue> {
  const row: Record<string, SqlValue> = {};
  for (let i = 0; i < columns.length; i++) {
    const value = values[i] as SqlValue;
    row[columns[i] as string] = typeof value === "bigint" ? String(value) : value;
  }
  return row;
}
