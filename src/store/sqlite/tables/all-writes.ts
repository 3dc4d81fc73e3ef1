import type { Database } from "bun:sqlite";
import { done, type Result } from "../../../base/result.ts";
import type { NewAnimal } from "../../../domain/stock/animal.ts";
import type { Work } from "../../sql/work.ts";
import { performer } from "../sql/work.ts";
import type { Effect } from "../wal/version.ts";
import { animalWrites, createAnimals } from "./animals.ts";
import { categoryWrites } from "./categories.ts";
import { idempotency } from "./idempotency.ts";
import { importWrites } from "./imports.ts";
import { keyWrites } from "./keys.ts";
import { maintenanceWrites } from "./maintenance.ts";
import { metadataWrites } from "./metadata.ts";
import { nameIndexWrites } from "./name-index.ts";
import { orderWrites } from "./orders.ts";
import { sessionWrites } from "./sessions.ts";
import { tallyWrites } from "./tallies.ts";
import { instanceWrites, usageWrites } from "./usage.ts";
import type { Write, WriteKind, WriteName } from "./write.ts";

const ALL = [
  ...animalWrites,
  nameIndexWrites,
  categoryWrites,
  orderWrites,
  keyWrites,
  tallyWrites,
  metadataWrites,
  usageWrites,
  instanceWrites,
  ...importWrites,
  sessionWrites,
  ...maintenanceWrites,
];

interface AnyWrite {
  readonly kind: WriteKind;
  readonly body: (input: unknown) => Work<Result<unknown, unknown>>;
}

const WRITES = Object.fromEntries(
  ALL.flatMap(({ resource, kind, bodies }) =>
    Object.entries(bodies).map(([called, body]) => [`${resource}.${called}`, { kind, body }]),
  ),
) as unknown as Readonly<Record<WriteName, AnyWrite>>;

export const isBulk = (name: WriteName): boolean => WRITES[name].kind.isBulk;

/** Prepares to perform writes on one connection. */
export const prepareWriter = (db: Database) => ({ perform: performer(db), withIdempotency: idempotency(db) });

type Writer = ReturnType<typeof prepareWriter>;

/** To be called within a transaction. */
export const carryOut = ({ perform, withIdempotency }: Writer, [name, input, idempotencyKey]: Write): unknown =>
  withIdempotency(
    idempotencyKey,
    () => perform(WRITES[name].body(input)),
    // The writer returns only the id of a new animal, but a retry is answered with all of it.
    (value) => (name === "animals.create" ? { id: value, ...(input as NewAnimal) } : value),
  );

/** Carries out writes in their order. Animals that are created one after the other are created together. */
export function carryOutAll(writer: Writer, writes: readonly Write[]): unknown[] {
  const results: unknown[] = [];
  let animals: NewAnimal[] = [];
  const createGathered = (): void => {
    for (const id of writer.perform(createAnimals(animals))) results.push(done(id));
    animals = [];
  };
  for (const write of writes) {
    const [name, input, idempotencyKey] = write;
    if (name === "animals.create" && !idempotencyKey) animals.push(input as NewAnimal);
    else {
      createGathered();
      results.push(carryOut(writer, write));
    }
  }
  createGathered();
  return results;
}

/** The effect of writes that are one commit. */
export function effectOf(writes: readonly Write[]): Effect {
  let effect: Effect = "none";
  for (const [name] of writes) {
    const own = WRITES[name].kind.effect;
    if (own === "change") return own;
    if (own === "addition") effect = own;
  }
  return effect;
}
