import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { CallOptions } from "../options.ts";
import { headerText } from "../settings.ts";
import { FOREIGN, isReplay, type Reply } from "../transport/answer.ts";
import type { AnyOptions } from "../transport/transport.ts";
import { writeExactly } from "../wire/exact-json.ts";
import { shown } from "../wire/int64.ts";
import type { NewPet, Pet } from "../wire/types.ts";
import { Lazy } from "./lazy.ts";

/**
 * The source of rows: an array, a generator, or a stream that is read as rows are needed.
 *
 * @example
 * const rows: Rows<NewPet> = [{ name: "Rex", categoryId: 7 }];
 */
export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>;

/**
 * The options of `pets.createMany`.
 *
 * @example
 * const options: BulkOptions<{ sku: string; name: string }> = {
 *   toPet: ({ name }) => ({ name, categoryId: 7 }),
 *   idempotencyKey: ({ sku }) => `import-${sku}`,
 * };
 */
export interface BulkOptions<Row> extends CallOptions {
  /** Returns the animal of a row. By default, the row is the animal. */
  readonly toPet?: ((row: Row, index: number) => NewPet) | undefined;
  /** Returns the `idempotencyKey` of a row, made of an id that is the row's own. It makes the work resumable. */
  readonly idempotencyKey?: ((row: Row, index: number) => string) | undefined;
  /** Maximum number of rows in progress at a time. By default, 8. */
  readonly concurrency?: number | undefined;
  /** Called after each row. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Limit of a row's waits. By default, 2 hours: longer than any ban, and shorter than a day. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * The progress of the work.
 *
 * @example
 * const onProgress = ({ created, failed }: BulkProgress) => log.info(`${created} created, ${failed} failed`);
 */
export interface BulkProgress {
  /** The number of rows that were created, now or in an earlier run. */
  readonly created: number;
  /** The number of rows that were refused. */
  readonly failed: number;
  /** Every row before this index is done with: keep it, to begin the next run there. */
  readonly next: number;
}

/**
 * A row that was created.
 *
 * @example
 * const idsBySku = (rows: readonly CreatedRow<{ sku: string }>[]) => new Map(rows.map(({ row, pet }) => [row.sku, pet.id]));
 */
export interface CreatedRow<Row> {
  /** The number of the row, from 0. */
  readonly index: number;
  /** The row itself. */
  readonly row: Row;
  /** The animal that it became. */
  readonly pet: Pet;
  /** True if an earlier run had created it. */
  readonly isReplay: boolean;
  /** A created row has none. */
  readonly error?: undefined;
}

/**
 * A row that was refused. No animal was created, unless the code is `internal_error`.
 *
 * @example
 * const lineOf = ({ index, error }: FailedRow<unknown>) => `line ${index + 1}: ${error.message}`;
 */
export interface FailedRow<Row> {
  /** The number of the row, from 0. */
  readonly index: number;
  /** The row itself. */
  readonly row: Row;
  /** A failed row has none. */
  readonly pet?: undefined;
  /** An AnimalStoreError, a TypeError about the row, or what `toPet` or `idempotencyKey` threw. */
  readonly error: Error;
}

/**
 * The outcome of a row.
 *
 * @example
 * const isNew = ({ pet, ...outcome }: RowOutcome<NewPet>) => pet !== undefined && !outcome.error;
 */
export type RowOutcome<Row> = CreatedRow<Row> | FailedRow<Row>;

/**
 * The outcomes of all rows, in their order.
 *
 * @example
 * const isComplete = ({ failed }: BulkReport<NewPet>) => failed.length === 0;
 */
export interface BulkReport<Row> {
  /** The rows that were created. */
  readonly created: readonly CreatedRow<Row>[];
  /** The rows that were refused. */
  readonly failed: readonly FailedRow<Row>[];
}

/**
 * The creation of many animals. Awaited: the report; iterated over: the outcome of each row as soon as it is known,
 * and nothing is kept. Nothing is sent before either, and the rows are sent once.
 *
 * @example
 * for await (const { index, pet, error } of store.pets.createMany([{ name: "Rex", categoryId: 7 }]))
 *   log.info(`row ${index}: ${pet?.id ?? error?.message}`);
 */
export interface BulkCall<Row> extends Promise<BulkReport<Row>>, AsyncIterable<RowOutcome<Row>> {}

/** Creates the animal that a text describes. */
type Create = (body: string, options: AnyOptions) => Promise<Reply<Pet>>;

/** Calls a function of the caller, whose mistakes must not end the work. */
type Guard = (name: string, hook: (progress: BulkProgress) => void, progress: BulkProgress) => void;

const CONCURRENCY = 8;
const MAX_WAIT_MS = 7_200_000;
/** Statuses that concern one row. Any other failure would be that of the next row as well, so it ends the work. */
const OF_ONE_ROW: readonly (number | undefined)[] = [400, 409, 413, 415, 422, 500];

export class BulkRun<Row> extends Lazy<BulkReport<Row>> implements BulkCall<Row> {
  readonly [Symbol.toStringTag] = "BulkCall";
  readonly #outcomes: () => AsyncGenerator<RowOutcome<Row>, void, undefined>;
  #isTaken = false;

  constructor(rows: Rows<Row>, options: BulkOptions<Row>, create: Create, guard: Guard) {
    super(() => this.#gather());
    const fixed = { ...options };
    this.#outcomes = () => outcomesOf(rows, fixed, create, guard);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RowOutcome<Row>, void, undefined> {
    // The rows may be gone, and without keys of their own they would be created twice.
    if (this.#isTaken) throw new TypeError("The rows are being sent already. Call createMany again to send them anew.");
    this.#isTaken = true;
    return this.#outcomes();
  }

  async #gather(): Promise<BulkReport<Row>> {
    const created: CreatedRow<Row>[] = [];
    const failed: FailedRow<Row>[] = [];
    for await (const outcome of this) outcome.pet ? created.push(outcome) : failed.push(outcome);
    return { created, failed };
  }
}

/** The failure that ends the work. */
interface Failure {
  readonly ending: unknown;
}

/** Reads a row when there is room for it, so that no more are held than are in progress. */
async function* outcomesOf<Row>(
  rows: Rows<Row>,
  options: BulkOptions<Row>,
  create: Create,
  guard: Guard,
): AsyncGenerator<RowOutcome<Row>, void, undefined> {
  const { concurrency = CONCURRENCY, onProgress, signal } = options;
  check(rows, concurrency, options);
  const settle = settler(options, create);
  const source = each(rows);
  /** In the order of the rows. None of them rejects. */
  const underway: Promise<RowOutcome<Row> | Failure>[] = [];
  let [read, next, created, failed] = [0, 0, 0, 0];
  let reading: Promise<void> | undefined;
  /** True when no more rows are to be begun. */
  let isOver = false;
  let failure: Failure | undefined;
  let stopReading = (): void => {};

  const end = (ending: unknown): void => {
    failure ??= { ending };
    isOver = true;
    stopReading();
  };
  const begin = ({ done, value }: IteratorResult<Row, void>): void => {
    isOver ||= done === true;
    if (!isOver) underway.push(settle(value as Row, read++));
  };
  const readNext = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      stopReading = resolve;
      source.next().then(begin, end).then(resolve);
    });
    reading = undefined;
  };
  const stopListening = onAbort(signal, () => end(aborted(signal)));
  try {
    if (signal?.aborted) end(aborted(signal));
    for (;;) {
      if (!isOver && underway.length < concurrency) reading ??= readNext();
      const [first] = underway;
      if (!first && !reading) break;
      // Rows may come slowly: what is known meanwhile is handed out.
      const outcome = await (first && reading ? Promise.race([first, reading]) : (first ?? reading));
      if (!outcome) continue;
      void underway.shift();
      if ("ending" in outcome) end(outcome.ending);
      else {
        outcome.pet ? created++ : failed++;
        if (!failure) next++;
        if (onProgress) guard("onProgress", onProgress, { created, failed, next });
        yield outcome;
      }
    }
    if (failure) throw failure.ending;
  } finally {
    isOver = true;
    stopListening();
    source.return().catch(() => {});
  }
}

async function* each<Row>(rows: Rows<Row>): AsyncGenerator<Row, void, undefined> {
  yield* rows as AsyncIterable<Row>;
}

function check<Row>(rows: Rows<Row>, concurrency: number, options: BulkOptions<Row>): void {
  const { iterator, asyncIterator } = Symbol;
  if (!(iterator in Object(rows) || asyncIterator in Object(rows)))
    throw new TypeError(`rows is ${shown(rows)}. It must be an array, or another iterable.`);
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new TypeError(`concurrency is ${shown(concurrency)}. It must be a whole number from 1 on.`);
  for (const name of ["toPet", "idempotencyKey", "onProgress"] as const)
    if (options[name] && typeof options[name] !== "function") throw new TypeError(`${name} must be a function.`);
}

/** Returns a function that creates the animal of a row. */
function settler<Row>({ toPet, idempotencyKey, ...options }: BulkOptions<Row>, create: Create) {
  const maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;

  return async (row: Row, index: number): Promise<RowOutcome<Row> | Failure> => {
    let isOfRow = true;
    try {
      const animal: unknown = toPet ? toPet(row, index) : row;
      if (Object(animal) !== animal) throw new TypeError(`The animal is ${shown(animal)}. It must be an object.`);
      const key = idempotencyKey && headerText(idempotencyKey(row, index), "idempotencyKey");
      const body = writeExactly(animal as object);
      isOfRow = false;
      const { data: pet, received } = await create(body, { ...options, maxWaitMs, idempotencyKey: key });
      return { index, row, pet, isReplay: isReplay(received) };
    } catch (error) {
      if (error instanceof AnimalStoreError) isOfRow = OF_ONE_ROW.includes(error.status) && error.code !== FOREIGN;
      return isOfRow ? { index, row, error: error as Error } : { ending: error };
    }
  };
}
