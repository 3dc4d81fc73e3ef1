import type { Result } from "../../../base/result.ts";
import type { IdempotencyKey, Replay } from "../../../domain/idempotency.ts";
import type { Animal, NewAnimal } from "../../../domain/stock/animal.ts";
import type { ImportBatch, Overtaken } from "../../../domain/stock/import.ts";
import type { AnimalStore, ImportStore, Maintenance, NameIndex, Store } from "../../ports/store.ts";
import type { Methods, Performed, Work } from "../../sql/work.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "../sql/work.ts";
import type { Effect } from "../wal/version.ts";

// A write is declared once, in the file of its table: it has the name, the input and the result of a method of the
// port, an effect, and a body that runs within a transaction. Serving threads forward calls of the method to the writer.

/** The ports as the writer thread answers them, which is with less where the serving thread knows the rest. */
interface WrittenPorts
  extends Pick<Store, "categories" | "orders" | "keys" | "tallies" | "metadata" | "usage" | "instances" | "sessions"> {
  readonly animals: Omit<AnimalStore, "create"> & {
    /** Returns only the id of a new animal: sending the rest to another thread would take 1.3 µs. */
    create(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Promise<Result<bigint> | Replay<Animal>>;
  };
  readonly nameIndex: Pick<NameIndex, "extend" | "drop">;
  readonly imports: Omit<ImportStore, "add"> & {
    /** Returns how long it took, in milliseconds. */
    add(batch: ImportBatch): Promise<Result<number, Overtaken>>;
  };
  readonly maintenance: Omit<Maintenance, "connections">;
}

type Resource = keyof WrittenPorts;
type MethodName<Of extends Resource> = keyof WrittenPorts[Of] & string;

/** The name of a write, such as animals.create. */
export type WriteName = { [Of in Resource]: `${Of}.${MethodName<Of>}` }[Resource];

type Method<Name extends WriteName> = Name extends `${infer Of extends Resource}.${infer Called}`
  ? Called extends MethodName<Of>
    ? Body<WrittenPorts[Of][Called]>
    : never
  : never;
export type WriteInput<Name extends WriteName> = Parameters<Method<Name>>[0];
export type WriteResult<Name extends WriteName> = ReturnType<Method<Name>>;

/** A change to be made: plain data, because it passes from one thread to another. */
export type Write = readonly [name: WriteName, input: unknown, idempotencyKey: IdempotencyKey | undefined];

/** Carries out writes, each in a transaction. */
export interface Writes {
  /** Resolves when the write is on disk. Rejects with StoreUnavailable when that cannot be done now. */
  perform<Name extends WriteName>(
    name: Name,
    input: WriteInput<Name>,
    idempotencyKey?: IdempotencyKey,
  ): Promise<WriteResult<Name>>;
}

type Body<Declared> = Declared extends (...args: infer Args) => infer Returned
  ? (...args: Args) => Awaited<Returned>
  : never;

/** Each body is work that is performed within a transaction. */
type Bodies<Of extends Resource, Name extends MethodName<Of>> = {
  readonly [Called in Name]: (
    input: Parameters<Body<WrittenPorts[Of][Called]>>[0],
  ) => Work<ReturnType<Body<WrittenPorts[Of][Called]>>>;
};

export interface WriteKind {
  readonly effect: Effect;
  /** One command makes any number of them. Others wait for each, but it waits longer for others. */
  readonly isBulk: boolean;
}

/** Changes no animal, category or order. */
export const BOOKKEEPING: WriteKind = { effect: "none", isBulk: false };
/** Does nothing but add animals, whose ids are greater than any before. */
export const ADDITION: WriteKind = { effect: "addition", isBulk: false };
export const CHANGE: WriteKind = { effect: "change", isBulk: false };
export const BULK_CHANGE: WriteKind = { effect: "change", isBulk: true };

/** Declares writes of one resource that are of one kind. */
export const declareWrites = <Of extends Resource, Name extends MethodName<Of>>(
  resource: Of,
  kind: WriteKind,
  bodies: Bodies<Of, Name>,
) => ({ resource, kind, bodies });

type DeclaredWrites<Of extends Resource, Name extends MethodName<Of>> = ReturnType<typeof declareWrites<Of, Name>>;

/** The methods of the port that have their writes carried out. */
export function forward<Of extends Resource, Name extends MethodName<Of>>(
  writes: Writes,
  { resource, bodies }: DeclaredWrites<Of, Name>,
): Pick<WrittenPorts[Of], Name> {
  const methods = Object.keys(bodies).map((called) => {
    const name = `${resource}.${called}` as WriteName;
    return [called, (input: never, idempotencyKey?: IdempotencyKey) => writes.perform(name, input, idempotencyKey)];
  });
  return Object.fromEntries(methods) as Pick<WrittenPorts[Of], Name>;
}

/** Makes the store of a resource: its reads are work, and its writes are all declared. */
export const tableStore =
  <Reads extends Methods, Of extends Resource, Name extends MethodName<Of>>(
    reads: Reads,
    declared: DeclaredWrites<Of, Name>,
  ) =>
  (connection: Connection, writes: Writes): Performed<Reads> & Pick<WrittenPorts[Of], Name> => ({
    ...reading(connection, reads),
    ...forward(writes, declared),
  });
