import type { Result } from "../../../base/result.ts";
import type { ConsoleSession } from "../../../domain/console-session.ts";
import type { IdempotencyKey, IdempotentResult, Replay } from "../../../domain/idempotency.ts";
import type { Authorship } from "../../../domain/journal.ts";
import type { Key, KeyChange } from "../../../domain/keys/key.ts";
import type {
  Animal,
  AnimalDeletion,
  AnimalDeletionRefusal,
  AnimalUpdate,
  AnimalUpdateRefusal,
  NewAnimal,
} from "../../../domain/stock/animal.ts";
import type {
  Category,
  CategoryDeletion,
  CategoryDeletionRefusal,
  CategoryNaming,
  NamedCategory,
  NamingRefusal,
} from "../../../domain/stock/category.ts";
import type {
  BeginningRefusal,
  Import,
  ImportBatch,
  ImportBeginning,
  Overtaken,
  UndoRefusal,
  UndoRequest,
} from "../../../domain/stock/import.ts";
import type { NewOrder, Order, OrderUpdate, OrderUpdateRefusal, PlacingRefusal } from "../../../domain/stock/order.ts";
import type { Instance } from "../../../domain/usage/instance.ts";
import type {
  AnimalAddition,
  ConsoleSignIn,
  CountingPlace,
  KeyCommand,
  KeyTally,
  NewConsoleLink,
  NewKey,
  NotedUse,
  Pardon,
  Rotation,
  UsageAddition,
} from "../../ports/store.ts";
import type { Effect } from "../wal/version.ts";

/**
 * Every change to a store. A method takes one object, beside an idempotency key if it can be retried, and
 * is called within a transaction. All of it is plain data, because it passes from one thread to another.
 */
export interface Writer {
  /** Returns only the id of a new animal: the rest need not come back from another thread (1.3 µs). */
  createAnimal(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Result<bigint> | Replay<Animal>;
  /** For a person. */
  addAnimal(addition: AnimalAddition): Animal;
  updateAnimal(
    correction: AnimalUpdate,
    idempotencyKey?: IdempotencyKey,
  ): IdempotentResult<Animal, AnimalUpdateRefusal>;
  deleteAnimal(
    removal: AnimalDeletion,
    idempotencyKey?: IdempotencyKey,
  ): IdempotentResult<Animal, AnimalDeletionRefusal>;
  placeOrder(order: NewOrder, idempotencyKey?: IdempotencyKey): IdempotentResult<Order, PlacingRefusal>;
  updateOrder(update: OrderUpdate, idempotencyKey?: IdempotencyKey): IdempotentResult<Order, OrderUpdateRefusal>;
  putCategory(naming: CategoryNaming, idempotencyKey?: IdempotencyKey): IdempotentResult<NamedCategory, NamingRefusal>;
  deleteCategory(
    removal: CategoryDeletion,
    idempotencyKey?: IdempotencyKey,
  ): IdempotentResult<Category, CategoryDeletionRefusal>;
  createKey(key: NewKey): void;
  createFirstKey(key: NewKey): boolean;
  rotateKey(rotation: Rotation): void;
  revokeKey(revocation: KeyCommand): void;
  pardonKey(pardon: Pardon): void;
  editKey(change: KeyChange & KeyCommand): Key | undefined;
  suspendKey(suspension: KeyCommand): void;
  resumeKey(resumption: KeyCommand): void;
  /** Returns whether there may be more of them. */
  deleteResponsesOfKey(of: { readonly keyId: string }): boolean;
  /** Likewise of its usage. */
  deleteUsageOfKey(of: { readonly keyId: string }): boolean;
  deleteKey(deletion: KeyCommand): boolean;
  noteUseOfKeys(uses: readonly NotedUse[]): void;
  noteCountingPlace(place: CountingPlace): void;
  beginImport(beginning: ImportBeginning): Result<Import, BeginningRefusal>;
  /** Returns how long it took, in milliseconds. */
  addToImport(batch: ImportBatch): Result<number, Overtaken>;
  beginUndo(request: UndoRequest): Result<Import, UndoRefusal>;
  undoSome(request: UndoRequest): Import;
  saveTallies(tallies: readonly KeyTally[]): void;
  addUsage(addition: UsageAddition): void;
  /** Returns whether there may be more of it. */
  sweepUsage(at: { readonly nowMs: number }): boolean;
  noteInstance(instance: Instance): void;
  makeConsoleLink(link: NewConsoleLink): void;
  signIntoConsole(signIn: ConsoleSignIn): ConsoleSession | undefined;
  prolongSession(session: { readonly digest: string; readonly expiresAtMs: number }): void;
  signOut(session: { readonly digest: string }): void;
  /** Returns how many sessions there were. */
  signOutAll(author: Authorship): number;
  sweepSessions(at: { readonly nowMs: number }): void;
  /** Returns whether there may be more of them. */
  deleteSavedResponses(upTo: { readonly savedAtMs: number }): boolean;
  /** Likewise of animals whose names are not folded. */
  foldNames(input: Readonly<Record<string, never>>): boolean;
}

/** What carries out writes on a connection. */
export interface PreparedWriter extends Writer {
  /** Several at once, none of which has an idempotency key. */
  createAnimals(animals: readonly NewAnimal[]): readonly Result<bigint>[];
}

export type WriteName = keyof Writer;
export type WriteInput<Name extends WriteName> = Parameters<Writer[Name]>[0];
export type WriteResult<Name extends WriteName> = ReturnType<Writer[Name]>;

/** A change to be made. */
export type Write = readonly [
  name: WriteName,
  input: WriteInput<WriteName>,
  idempotencyKey: IdempotencyKey | undefined,
];

type AnyMethod = (input: WriteInput<WriteName>, idempotencyKey: IdempotencyKey | undefined) => WriteResult<WriteName>;

export const carryOut = (writer: Writer, [name, input, idempotencyKey]: Write): WriteResult<WriteName> =>
  (writer[name] as AnyMethod)(input, idempotencyKey);

/** In their order. Animals that come one after the other are added together. */
export function carryOutAll(writer: PreparedWriter, writes: readonly Write[]): unknown[] {
  const results: unknown[] = [];
  let animals: NewAnimal[] = [];
  const addAnimals = (): void => {
    if (animals.length > 0) for (const result of writer.createAnimals(animals)) results.push(result);
    animals = [];
  };
  for (const write of writes) {
    const [name, input, idempotencyKey] = write;
    if (name === "createAnimal" && !idempotencyKey) {
      animals.push(input as NewAnimal);
      continue;
    }
    addAnimals();
    results.push(carryOut(writer, write));
  }
  addAnimals();
  return results;
}

/** Writes that change no animal, category or order. */
const BOOKKEEPING: ReadonlySet<WriteName> = new Set<WriteName>([
  "createKey",
  "createFirstKey",
  "rotateKey",
  "revokeKey",
  "pardonKey",
  "editKey",
  "suspendKey",
  "resumeKey",
  "deleteResponsesOfKey",
  "deleteKey",
  "noteUseOfKeys",
  "noteCountingPlace",
  "beginImport",
  "beginUndo",
  "saveTallies",
  "deleteSavedResponses",
  "deleteUsageOfKey",
  "addUsage",
  "sweepUsage",
  "noteInstance",
  "makeConsoleLink",
  "signIntoConsole",
  "prolongSession",
  "signOut",
  "signOutAll",
  "sweepSessions",
]);

/** Of writes that are one commit. A new animal's id is greater than any before it. */
export function effectOf(writes: readonly Write[]): Effect {
  let effect: Effect = "none";
  for (const [name] of writes) {
    if (name === "createAnimal" || name === "addAnimal") effect = "addition";
    else if (!BOOKKEEPING.has(name)) return "change";
  }
  return effect;
}

/** Has writes carried out, each in a transaction. */
export interface Writes {
  /** Resolves when the write is on disk. Rejects with StoreUnavailable when that cannot be done now. */
  perform<Name extends WriteName>(
    name: Name,
    input: WriteInput<Name>,
    idempotencyKey?: IdempotencyKey,
  ): Promise<WriteResult<Name>>;
}
