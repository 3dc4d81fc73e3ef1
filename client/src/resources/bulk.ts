import { AnimalStoreError, aborted } from "../error.ts";
import { checkFunctions, mistake } from "../mistake.ts";
import { onAbort } from "../on-abort.ts";
import type { Asked } from "../operation.ts";
import type { CallOptions, WriteOptions } from "../options.ts";
import { headerText } from "../settings.ts";
import { type Answer, FOREIGN } from "../transport/answer.ts";
import { isRetriable } from "../transport/retry.ts";
import { writeExactly } from "../wire/exact-json.ts";
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

/** Creates an animal. */
type Create = (pet: NewPet, options: WriteOptions) => Promise<Answer<Pet>>;

/** Calls a function of the caller, whose mistakes must not end the work. */
type Guard = (name: string, hook: (progress: BulkProgress) => void, progress: BulkProgress) => void;

const CONCURRENCY = 8;
const MAX_WAIT_MS = 7_200_000;
/**
 * Statuses that concern one row. Any other failure would be that of the next row as well, so it ends the work. So does one
 * that leaves a row in doubt: the next run settles it.
 */
const OF_ONE_ROW: readonly (number | undefined)[] = [400, 409, 413, 415, 422, 500];

export class BulkRun<Row> extends Lazy<BulkReport<Row>> implements BulkCall<Row> {
  readonly [Symbol.toStringTag] = "BulkCall";
  /** Undefined once somebody has taken them. */
  #outcomes: AsyncGenerator<RowOutcome<Row>, void, undefined> | undefined;

  constructor(rows: Rows<Row>, options: BulkOptions<Row>, create: Create, guard: Guard, asked: Asked) {
    super(() => this.#gather());
    this.#outcomes = outcomesOf(rows, { ...options }, create, guard, asked);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RowOutcome<Row>, void, undefined> {
    const outcomes = this.#outcomes;
    // The rows may be gone, and without keys of their own they would be created twice.
    if (!outcomes) throw new TypeError("The rows are being sent already. Call createMany again to send them anew.");
    this.#outcomes = undefined;
    return outcomes;
  }

  async #gather(): Promise<BulkReport<Row>> {
    const created: CreatedRow<Row>[] = [];
    const failed: FailedRow<Row>[] = [];
    for await (const outcome of this) outcome.pet ? created.push(outcome) : failed.push(outcome);
    return { created, failed };
  }
}

/** Reads a row when there is room for it, so that no more are held than are in progress. */
async function* outcomesOf<Row>(
  rows: Rows<Row>,
  options: BulkOptions<Row>,
  create: Create,
  guard: Guard,
  asked: Asked,
): AsyncGenerator<RowOutcome<Row>, void, undefined> {
  const { concurrency = CONCURRENCY, onProgress, signal } = options;
  check(rows, concurrency, options);
  const settle = settler(options, create);
  const source = each(rows);
  /** In the order of the rows; the last one may still be read. Undefined: the work has ended before this row. */
  const underway: Promise<RowOutcome<Row> | undefined>[] = [];
  let [read, next, created, failed] = [0, 0, 0, 0];
  /** True when no more rows are to be begun. */
  let isOver = false;
  let failure: { readonly reason: unknown } | undefined;
  /** Undefined unless a row is being read: they are read one after the other. */
  let stopReading: (() => void) | undefined;

  const end = (reason: unknown): void => {
    failure ??= { reason };
    isOver = true;
    stopReading?.();
  };
  const begin = async (): Promise<RowOutcome<Row> | undefined> => {
    try {
      const { done, value } = await new Promise<IteratorResult<Row, void>>((resolve, reject) => {
        stopReading = () => resolve({ done: true, value: undefined });
        source.next().then(resolve, reject);
      });
      stopReading = undefined;
      isOver ||= done === true;
      if (isOver) return undefined;
      beginNext();
      return await settle(value as Row, read++);
    } catch (error) {
      end(error);
      return undefined;
    }
  };
  const beginNext = (): void => {
    if (!stopReading && !isOver && underway.length < concurrency) underway.push(begin());
  };
  const abort = (): void => end(Object.assign(aborted(signal), asked));
  const stopListening = onAbort(signal, abort);
  try {
    if (signal?.aborted) abort();
    for (beginNext(); underway[0]; beginNext()) {
      const outcome = await underway[0];
      void underway.shift();
      if (!outcome) continue;
      outcome.pet ? created++ : failed++;
      if (outcome.index === next) next++;
      if (onProgress) guard("onProgress", onProgress, { created, failed, next });
      yield outcome;
    }
    if (failure) throw failure.reason;
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
  const object = Object(rows);
  if (!(Symbol.iterator in object || Symbol.asyncIterator in object))
    throw mistake("rows", rows, "It must be an array, or another iterable");
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw mistake("concurrency", concurrency, "It must be a whole number from 1 on");
  checkFunctions(options);
}

/** Returns a function that creates the animal of a row. It throws what would be the failure of any other row as well. */
function settler<Row>({ toPet, idempotencyKey, ...options }: BulkOptions<Row>, create: Create) {
  const maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;

  return async (row: Row, index: number): Promise<RowOutcome<Row>> => {
    let isOfRow = true;
    try {
      const animal = (toPet ? toPet(row, index) : row) as NewPet;
      if (Object(animal) !== animal) throw mistake("The animal", animal, "It must be an object");
      const key = idempotencyKey && headerText(idempotencyKey(row, index), "idempotencyKey");
      // Its mistakes would be thrown later as well, but then nobody could tell them from those of the `apiKey` function.
      writeExactly(animal);
      isOfRow = false;
      const { data: pet, isReplay } = await create(animal, { ...options, maxWaitMs, idempotencyKey: key });
      return { index, row, pet, isReplay };
    } catch (error) {
      // A row that another attempt may find created is in doubt, and not refused.
      if (error instanceof AnimalStoreError)
        isOfRow = OF_ONE_ROW.includes(error.status) && error.code !== FOREIGN && !isRetriable(error);
      if (isOfRow) return { index, row, error: error as Error };
      throw error;
    }
  };
}
