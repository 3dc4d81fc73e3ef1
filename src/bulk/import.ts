import { done, type Result, refused } from "../base/result.ts";
import type { Animal, NewAnimal } from "../domain/stock/animal.ts";
import { type BeginningRefusal, decideBeginning, type Import, type Overtaken } from "../domain/stock/import.ts";
import type { CategoryStore } from "../store/ports/store.ts";
import { type FileProblem, UnusableFile } from "./file-problem.ts";
import { Pace } from "./pace.ts";
import { CategoryNames } from "./reading/category-names.ts";
import type { ColumnOptions } from "./reading/columns.ts";
import { AnimalReader, type Reading } from "./reading/readings.ts";
import { openSource, type Source } from "./reading/source.ts";
import { Rejects, type ShownReject } from "./rejects.ts";
import type { BulkParts } from "./undo.ts";

// Bytes (source.ts) become text (text.ts), rows or JSON (csv.ts, ndjson.ts), and by their columns (columns.ts) animals
// or rejected lines (readings.ts, rejects.ts). First the whole file is validated; then it is read once more, and added in
// batches (pace.ts).

export interface ImportOptions extends ColumnOptions {
  /** Undefined: standard input. */
  readonly path: string | undefined;
  /** The file for the reasons why lines are not animals. The lines go to one beside it. */
  readonly rejectedPath: string;
  /** At most so much is written to each, instead of 64 MiB. */
  readonly rejectedMaxBytes?: number | undefined;
  readonly dryRun: boolean;
  readonly skipInvalid: boolean;
  readonly again: boolean;
}

export interface ImportParts extends BulkParts {
  /** Finds the categories that a file names instead of giving their numbers. */
  readonly categories: Pick<CategoryStore, "findByNames">;
  readonly onProgress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly step: "validate" | "add";
  /** Lines that were validated, or animals that were added. */
  readonly done: number;
  readonly total: number | undefined;
  /** Known once animals are being added. */
  readonly importId?: bigint;
}

type Validated = Awaited<ReturnType<typeof validate>>;

export interface Imported extends Validated {
  /** Undefined after a dry run. */
  readonly import: Import | undefined;
  /** Animals that earlier runs had added. */
  readonly addedBefore: number;
}

export type ImportRefusal =
  | BeginningRefusal
  | (Overtaken & { readonly import: Import })
  | FileProblem
  | (Validated & { readonly kind: "invalid_lines"; readonly first: ShownReject });

/** Adds the animals of a file, or goes on with it. */
export async function importAnimals(
  parts: ImportParts,
  options: ImportOptions,
): Promise<Result<Imported, ImportRefusal>> {
  const { imports, author } = parts;
  const { again } = options;
  let source: Source | undefined;
  try {
    source = await openSource(options.path, parts.signal);
    const categories = new CategoryNames(parts.categories);
    const reader = new AnimalReader(source, options, categories);
    const validated = await validate(parts, options, source, reader);
    categories.settle();
    const [first] = validated.firstRejects;
    if (first && !options.skipInvalid) return refused({ kind: "invalid_lines", ...validated, first });
    const { identity, lastId } = reader;
    if (options.dryRun) {
      const earlier = (await imports.list()).filter((each) => each.identity === identity);
      const decision = decideBeginning(earlier, { again, lastId });
      if (decision.kind === "already_imported") return refused(decision);
      const addedBefore = decision.kind === "continue" ? decision.earlier.added : 0;
      return done({ ...validated, import: undefined, addedBefore });
    }
    const { animals, rejected } = validated;
    const content = { identity, source: source.name, records: animals + rejected, animals };
    const begun = await imports.begin({ ...author, atMs: parts.nowMs(), ...content, again, lastId });
    if (begun.kind === "refused") return begun;
    const imported = await add(parts, new AnimalReader(source, options, categories), begun.value);
    if (imported.kind === "refused") return imported;
    return done({ ...validated, import: imported.value, addedBefore: begun.value.added });
  } catch (error) {
    if (error instanceof UnusableFile) return refused(error.problem);
    throw error;
  } finally {
    await source?.close();
  }
}

/** Reads the whole file, and writes nothing but the rejected lines. */
async function validate(
  { signal, onProgress }: ImportParts,
  { rejectedPath, rejectedMaxBytes }: ImportOptions,
  source: Source,
  reader: AnimalReader,
) {
  const rejects = new Rejects(rejectedPath, source.name, rejectedMaxBytes);
  let animals = 0;
  try {
    for await (const readings of reader.readings()) {
      for (const reading of readings) {
        if (reading.kind === "animal") animals++;
        else rejects.add(reading, reader.header);
      }
      onProgress({ step: "validate", done: animals + rejects.count, total: undefined });
      signal.throwIfAborted();
    }
    rejects.publish();
  } finally {
    rejects.close();
  }
  return { animals, ...rejects.report };
}

/** Reads the file once more, and adds its animals from where the import has stopped. */
async function add(parts: ImportParts, reader: AnimalReader, begun: Import): Promise<Result<Import, ImportRefusal>> {
  const { imports, signal, onProgress, sleep } = parts;
  const pace = new Pace();
  let current = begun;
  let records = 0;
  let batch: (NewAnimal | Animal)[] = [];

  async function write(isLast: boolean): Promise<ImportRefusal | undefined> {
    const atMs = parts.nowMs();
    const animals = batch;
    batch = [];
    const position = { importId: begun.id, recordsDoneBefore: current.recordsDone, recordsDone: records };
    const added = await imports.add({ ...parts.author, atMs, ...position, animals, isLast });
    if (added.kind === "refused") return { ...added.reason, import: begun };
    current = { ...current, recordsDone: records, added: current.added + animals.length };
    if (isLast) current = { ...current, finishedAtMs: atMs };
    onProgress({ step: "add", done: current.added, total: begun.animals, importId: begun.id });
    if (!isLast) await sleep(pace.after(added.value, performance.now()));
    return undefined;
  }

  try {
    for await (const readings of ahead(reader.readings())) {
      for (const reading of readings) {
        if (++records <= begun.recordsDone) continue;
        if (reading.kind === "animal") batch.push(reading.animal);
        if (batch.length < pace.size) continue;
        const overtaken = await write(false);
        if (overtaken) return refused(overtaken);
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    const hasChanged = error instanceof UnusableFile && error.problem.kind === "changed";
    if (hasChanged && current.added > 0) return refused({ kind: "changed", import: current });
    throw error;
  }
  const overtaken = await write(true);
  return overtaken ? refused(overtaken) : done(current);
}

/** Prepares the next readings while the database works on the ones before. */
async function* ahead(readings: AsyncGenerator<readonly Reading[]>): AsyncGenerator<readonly Reading[]> {
  let next = readings.next();
  for (;;) {
    const current = await next;
    if (current.done) return;
    next = readings.next();
    // It is awaited above: until then, a failure of it must not end the process.
    next.catch(() => {});
    yield current.value;
  }
}
