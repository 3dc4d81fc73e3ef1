import type { Database } from "bun:sqlite";
import type { IdempotencyKey } from "../../../domain/idempotency.ts";
import type { Effect } from "../wal/version.ts";
import { animalWrites } from "./animals.ts";
import { categoryWrites } from "./categories.ts";
import { idempotency } from "./idempotency.ts";
import { importWrites } from "./imports.ts";
import { keyWrites } from "./keys.ts";
import { maintenanceWrites } from "./maintenance.ts";
import { metadataWrites } from "./metadata.ts";
import { orderWrites } from "./orders.ts";
import { sessionWrites } from "./sessions.ts";
import { tallyWrites } from "./tallies.ts";
import { instanceWrites, usageWrites } from "./usage.ts";
import type { WithIdempotency, Write, WriteKind, WriteName } from "./write.ts";

type AnyBody = (input: unknown, idempotencyKey: IdempotencyKey | undefined) => unknown;

interface PreparedWrite {
  readonly one: AnyBody;
  readonly several?: (inputs: readonly unknown[]) => readonly unknown[];
}

/** The bodies of all writes, on one connection. */
export type Writer = Readonly<Record<WriteName, PreparedWrite>>;

interface AnyWrites {
  readonly resource: string;
  readonly kinds: Readonly<Record<string, WriteKind>>;
  readonly prepare: (db: Database, withIdempotency: WithIdempotency) => object;
}

const ALL: readonly AnyWrites[] = [
  ...animalWrites,
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

const KINDS = Object.fromEntries(
  ALL.flatMap(({ resource, kinds }) => Object.entries(kinds).map(([called, kind]) => [`${resource}.${called}`, kind])),
) as Readonly<Record<WriteName, WriteKind>>;

export const isBulk = (name: WriteName): boolean => KINDS[name].isBulk;

export function prepareWriter(db: Database): Writer {
  const withIdempotency = idempotency(db);
  const bodies = ALL.flatMap(({ resource, prepare }) =>
    Object.entries<AnyBody | PreparedWrite>({ ...prepare(db, withIdempotency) }).map(([called, body]) => [
      `${resource}.${called}`,
      typeof body === "function" ? { one: body } : body,
    ]),
  );
  return Object.fromEntries(bodies) as Writer;
}

/** To be called within a transaction. */
export const carryOut = (writer: Writer, [name, input, idempotencyKey]: Write): unknown =>
  writer[name].one(input, idempotencyKey);

/** Carries out writes in their order. Those of one kind that come one after the other are one batch, if it has batches. */
export function carryOutAll(writer: Writer, writes: readonly Write[]): unknown[] {
  const results: unknown[] = [];
  let batched: PreparedWrite["several"];
  let inputs: unknown[] = [];
  const finishBatch = (): void => {
    if (batched) for (const result of batched(inputs)) results.push(result);
    inputs = [];
  };
  for (const write of writes) {
    const [name, input, idempotencyKey] = write;
    const several = idempotencyKey ? undefined : writer[name].several;
    if (several !== batched) finishBatch();
    batched = several;
    if (batched) inputs.push(input);
    else results.push(carryOut(writer, write));
  }
  finishBatch();
  return results;
}

/** The effect of writes that are one commit. */
export function effectOf(writes: readonly Write[]): Effect {
  let effect: Effect = "none";
  for (const [name] of writes) {
    const own = KINDS[name].effect;
    if (own === "change") return own;
    if (own === "addition") effect = own;
  }
  return effect;
}
