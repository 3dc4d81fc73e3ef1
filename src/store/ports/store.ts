import type { JsonShape } from "../../base/json/shape.ts";
import type { Result } from "../../base/result.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { ConsoleSession } from "../../domain/console-session.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { Authorship, JournalEntry } from "../../domain/journal.ts";
import type { DatedSecret, Key, KeyChange, KeySecret } from "../../domain/keys/key.ts";
import type { Tally } from "../../domain/limits/tally.ts";
import type { IdOrder, JsonPage, Listed, Page, Position } from "../../domain/page.ts";
import type {
  Animal,
  AnimalDeletion,
  AnimalDeletionRefusal,
  AnimalStatus,
  AnimalUpdate,
  AnimalUpdateRefusal,
  NewAnimal,
} from "../../domain/stock/animal.ts";
import type {
  Category,
  CategoryDeletion,
  CategoryDeletionRefusal,
  CategoryNaming,
  NamedCategory,
  NamingRefusal,
} from "../../domain/stock/category.ts";
import type {
  AddedBatch,
  BeginningRefusal,
  Import,
  ImportBatch,
  ImportBeginning,
  Overtaken,
  UndoRefusal,
  UndoRequest,
} from "../../domain/stock/import.ts";
import type {
  NewOrder,
  OpenOrderStatus,
  Order,
  OrderStatus,
  OrderUpdate,
  OrderUpdateRefusal,
  PlacingRefusal,
} from "../../domain/stock/order.ts";
import type { Grain, UsageSum } from "../../domain/usage/grains.ts";
import type { Instance } from "../../domain/usage/instance.ts";

/** The store cannot do its work now: it is busy, full, read-only or gone. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** What the attempt changed. Unknown when the answer to a commit was lost on its way. */
  readonly changed: "nothing" | "unknown";

  constructor(message: string, options: ErrorOptions & { changed?: "nothing" | "unknown" } = {}) {
    super(message, options);
    this.changed = options.changed ?? "nothing";
  }
}

/** Why a store that was closed does not answer. */
export const STORE_CLOSED = "the store is closed, because the service is stopping";

/** What can go wrong without any caller being told: moving writes to their final place, syncing, opening again. */
export type StoreProblem = "checkpoint" | "sync" | "reopen";

// Every method of these ports throws StoreUnavailable when the store cannot answer. A method that writes is one
// transaction, which includes the saved response if there is an idempotency key, and resolves when it is on disk.

export interface AnimalStore {
  list(query: AnimalQuery): Awaitable<Page<Listed<Animal>>>;
  /** The same page as JSON, which some databases make faster than we do. */
  listJson(query: AnimalQuery, shape: JsonShape<Animal>): Awaitable<JsonPage>;
  get(id: bigint): Awaitable<Animal | undefined>;
  create(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal>>;
  /** The same for a person: it has its entry in the journal, as all that follows has if it names an author. */
  add(addition: AnimalAddition): Promise<Animal>;
  /** Of a correction of the status and an order that race, one is refused. */
  update(
    correction: AnimalUpdate,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Animal, AnimalUpdateRefusal>>;
  /** Returns the animal that was. Its id is never used again. */
  delete(
    removal: AnimalDeletion,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Animal, AnimalDeletionRefusal>>;
}

/** An animal that a person adds. */
export interface AnimalAddition {
  readonly animal: NewAnimal;
  readonly author: Authorship;
}

/** What a list is asked for: what comes after a position. An undefined filter filters nothing. */
export interface AnimalQuery {
  readonly ids?: readonly bigint[] | undefined;
  readonly status?: AnimalStatus | undefined;
  readonly categoryId?: bigint | undefined;
  /** How the folded name begins. With a status or alone, and then the order is that of folded names, then ids. */
  readonly name?: string | undefined;
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

/** Which animals: all of them, unless there is a filter. */
export type AnimalFilter = Pick<AnimalQuery, "status" | "categoryId">;

/** The same, or those that a search finds. */
export type AnimalSelection = AnimalFilter & Pick<AnimalQuery, "ids" | "name">;

/** All animals as they were at one moment, whoever writes meanwhile. */
export interface AnimalSnapshot {
  count(filter: AnimalFilter): Awaitable<number>;
  /** In the order of the list that has the same filter: by ascending id, or by folded name. */
  batches(selection: AnimalSelection): AsyncIterable<readonly Animal[]>;
  /** What goes on for as long as it is open, for a person to read. */
  readonly whileOpen: string;
  close(): Awaitable<void>;
}

export interface CategoryStore {
  list(query: CategoryQuery): Awaitable<Page<Listed<Category>>>;
  get(id: bigint): Awaitable<Category | undefined>;
  /** Those of these that have a name, in any order. */
  getSeveral(ids: readonly bigint[]): Awaitable<readonly Category[]>;
  /** Of several categories that are to have one name, folded, exactly one gets it. */
  put(naming: CategoryNaming, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<NamedCategory, NamingRefusal>>;
  /** Returns the category that was. Animals keep its number. */
  delete(
    removal: CategoryDeletion,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Category, CategoryDeletionRefusal>>;
}

export interface OrderStore {
  list(query: OrderQuery): Awaitable<Page<Order>>;
  get(id: bigint): Awaitable<Order | undefined>;
  /** Of several orders for one animal, exactly one is placed. */
  place(order: NewOrder, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, PlacingRefusal>>;
  /** The animal's status changes with the order's. */
  update(update: OrderUpdate, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, OrderUpdateRefusal>>;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly animalId?: bigint | undefined;
  /** With a status or alone. */
  readonly reference?: string | undefined;
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

/** By ascending id; with a name, by folded name. */
export interface CategoryQuery {
  /** How the folded name begins. */
  readonly name?: string | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

export interface FoundKey {
  readonly key: Key;
  readonly secret: KeySecret;
}

/** What a person does to one key. Each of these changes enters the journal in its own transaction. */
export interface KeyCommand extends Authorship {
  readonly keyId: string;
}

export interface NewKey extends Authorship {
  readonly key: Key;
  /** Of its secret. */
  readonly digest: string;
}

export interface Rotation extends KeyCommand {
  /** Of the new secret. */
  readonly digest: string;
  /** When the secrets that the key has now expire, at the latest. */
  readonly oldSecretsExpireAtMs: number;
}

export interface Pardon extends KeyCommand {
  /** When the latest ban that is lifted began, if that was by a clock ahead of the one that says when it is lifted. */
  readonly bannedAtMs?: number | undefined;
  /** No ban is known that it lifts: it is written for one that a service has not saved yet, and is not in the journal. */
  readonly liftsNothing?: boolean;
}

export interface KeyStore {
  findBySecret(digest: string): Awaitable<FoundKey | undefined>;
  /** A number that grows with every change to any key, by whatever process. */
  revision(): Awaitable<number>;
  list(): Awaitable<readonly Key[]>;
  /** Some of them by id, after one: for whoever must not keep others waiting while there are many. */
  listSome(page: IdPage): Awaitable<readonly Key[]>;
  get(id: string): Awaitable<Key | undefined>;
  create(key: NewKey): Promise<void>;
  /** Creates the key if the store has never had one. Returns whether it did. */
  createFirst(key: NewKey): Promise<boolean>;
  rotate(rotation: Rotation): Promise<void>;
  revoke(revocation: KeyCommand): Promise<void>;
  pardon(pardon: Pardon): Promise<void>;
  /** Returns the key as it is then; undefined: there is none. */
  edit(change: KeyChange & KeyCommand): Promise<Key | undefined>;
  /** A key that is suspended already stays so since when it was. */
  suspend(suspension: KeyCommand): Promise<void>;
  resume(resumption: KeyCommand): Promise<void>;
  /** Deletes some of the responses that are saved for a key. Returns whether there may be more of them. */
  deleteResponses(of: { readonly keyId: string }): Promise<boolean>;
  /** Likewise of what is known about its usage. */
  deleteUsage(of: { readonly keyId: string }): Promise<boolean>;
  /** Deletes a revoked key, and everything that belongs to it. Returns whether it did: nothing is done to any other key. */
  delete(deletion: KeyCommand): Promise<boolean>;
  /** All that are kept, also those that no longer work, newest first. */
  secretsOf(keyId: string): Awaitable<readonly DatedSecret[]>;
  /** Notes when keys were last used, unless a later use is known. It is no change to a key: the revision stays. */
  noteUse(uses: readonly NotedUse[]): Promise<void>;
}

export interface NotedUse {
  readonly keyId: string;
  readonly atMs: number;
}

/** The next ones after an id of a key; "" is before all of them. */
export interface IdPage {
  readonly afterId: string;
  readonly size: number;
}

export type KeyTally = readonly [keyId: string, tally: Tally];

export interface TallyStore {
  load(): Awaitable<readonly KeyTally[]>;
  /** Some of them by the id of their key, after one. */
  loadSome(page: IdPage): Awaitable<readonly KeyTally[]>;
  get(keyId: string): Awaitable<Tally | undefined>;
  /** Those of keys that were deleted meanwhile are left out. */
  save(tallies: readonly KeyTally[]): Promise<void>;
}

/** Sums of one thread that are added together. */
export interface UsageAddition {
  /** Who has counted them. */
  readonly source: string;
  /** Of one source, each has a greater number than the one before: what was added is not added again. */
  readonly sequence: number;
  readonly atMs: number;
  /** By minute. */
  readonly sums: readonly UsageSum[];
}

/** What began from one moment on and before another. */
export interface UsageSpan {
  readonly grain: Grain;
  readonly fromMs: number;
  readonly beforeMs: number;
}

/** The sums of some keys in one minute, hour or day. */
export interface KeyBucket extends IdPage {
  readonly grain: Grain;
  readonly startedAtMs: number;
}

/** What a key has asked for in some time. */
export interface KeyRequests {
  readonly keyId: string;
  readonly requests: number;
  readonly refused: number;
}

export interface UsageStore {
  /** Adds to what is there, at all grains, unless it was carried out before. Sums of keys that were deleted are left out. */
  add(addition: UsageAddition): Promise<void>;
  /** Of all requests, by start. There are none by day. */
  totals(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** One for each key, over the whole span. */
  byKey(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** By start. */
  ofKey(keyId: string, span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Of some keys, by id, in what began at one moment: only how many requests there were and how many were refused. */
  requestsByKey(bucket: KeyBucket): Awaitable<readonly KeyRequests[]>;
  /** Deletes some of what is kept no longer, instances included. Returns whether there may be more of it. */
  sweep(at: { readonly nowMs: number }): Promise<boolean>;
}

export interface InstanceStore {
  /** Notes what an instance says about itself. */
  note(instance: Instance): Promise<void>;
  /** The one that was started first comes first. */
  list(): Awaitable<readonly Instance[]>;
}

/** Where a service counts requests: in Redis, together with others, or by itself, which the database keeps. */
export type CountingPlace = "redis" | "database";

/** What the service notes about itself, for commands on its database. */
export interface MetadataStore {
  /** Undefined: no service has noted it yet. */
  countingPlace(): Awaitable<CountingPlace | undefined>;
  noteCountingPlace(place: CountingPlace): Promise<void>;
}

/** Files whose animals are added in batches. Each method is one short transaction, which has its journal entry in it. */
export interface ImportStore {
  /** Newest first; all, or so many. */
  list(size?: number): Awaitable<readonly Import[]>;
  get(id: bigint): Awaitable<Import | undefined>;
  /** Also one that was not finished, and is continued. */
  begin(beginning: ImportBeginning): Promise<Result<Import, BeginningRefusal>>;
  add(batch: ImportBatch): Promise<Result<AddedBatch, Overtaken>>;
  /** Also an undo that was not finished, and is continued. */
  beginUndo(request: UndoRequest): Promise<Result<Import, UndoRefusal>>;
  /** Removes some more of what the import has added, unless orders refer to it. Returns the import as it is then. */
  undoSome(request: UndoRequest): Promise<Import>;
}

/** By ascending id, unless it says otherwise. */
export interface JournalQuery {
  /** Only entries about this key. */
  readonly keyId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly sort?: IdOrder | undefined;
  /** The entry that the page begins after, in its order. */
  readonly afterId?: bigint | undefined;
  readonly size: number;
}

/** What people changed. Whoever makes a change appends its entry in the same transaction. */
export interface JournalStore {
  list(query: JournalQuery): Awaitable<Page<JournalEntry>>;
}

export interface StatusCounts<Status extends string> {
  readonly counts: Readonly<Record<Status, number>>;
  /** From what the database has noted about its tables, and not counted. */
  readonly isEstimate: boolean;
}

/** How many there are. It may take a while, in steps that keep nobody waiting for longer than a moment. */
export interface CountStore {
  /** Undefined: too many to count, and the database knows nothing about them yet. */
  animals(): Promise<StatusCounts<AnimalStatus> | undefined>;
  openOrders(): Promise<StatusCounts<OpenOrderStatus> | undefined>;
  /** How much room the database takes. */
  bytes(): Awaitable<number>;
}

/** A link that is made for somebody. */
export interface NewConsoleLink extends Authorship {
  /** Of its token. */
  readonly digest: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

export interface ConsoleSignIn {
  /** Of the token of the link. */
  readonly linkDigest: string;
  readonly atMs: number;
  /** Of the new session. */
  readonly digest: string;
  readonly expiresAtMs: number;
}

/** Links into the console, and who is signed in. What has expired may still be there: the caller judges it. */
export interface SessionStore {
  /** The journal says who made a link, and for whom. */
  makeLink(link: NewConsoleLink): Promise<void>;
  /** Exchanges a link that has not expired for a session, once: undefined if there is none. */
  signIn(signIn: ConsoleSignIn): Promise<ConsoleSession | undefined>;
  get(digest: string): Awaitable<ConsoleSession | undefined>;
  /** One that has been ended meanwhile stays so. */
  prolong(session: { readonly digest: string; readonly expiresAtMs: number }): Promise<void>;
  signOut(session: { readonly digest: string }): Promise<void>;
  /** Ends all sessions and links, which the journal says. Returns how many sessions there were. */
  signOutAll(author: Authorship): Promise<number>;
  /** Deletes all that have expired. */
  sweep(at: { readonly nowMs: number }): Promise<void>;
}

export type StatementKind = "read" | "write" | "transaction";

export interface ConnectionStats {
  /** Connections that are open, and those of them that have something to do. */
  readonly open: number;
  readonly inUse: number;
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number;
}

/** The connections to a server that keeps the store. */
export interface StoreConnections {
  stats(): ConnectionStats;
  /** Reports how long each statement or transaction takes, from when it was asked for until it is answered or given up. */
  onAnswer(report: (kind: StatementKind, seconds: number) => void): void;
}

/** While `changes` stays the same, nothing was done but to add animals, with greater ids than any before. */
export interface Version {
  readonly changes: number;
  readonly additions: number;
}

export interface Store {
  readonly animals: AnimalStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  readonly metadata: MetadataStore;
  readonly usage: UsageStore;
  readonly instances: InstanceStore;
  readonly imports: ImportStore;
  readonly journal: JournalStore;
  readonly counts: CountStore;
  readonly sessions: SessionStore;
  /**
   * The same object for as long as animals, categories and orders cannot have changed, by whatever process; undefined
   * when that cannot be known.
   */
  version(): Version | undefined;
  /** Deletes some of the responses saved up to a moment. Returns whether there may be more of them. */
  deleteSavedResponses(upTo: { readonly savedAtMs: number }): Promise<boolean>;
  /**
   * Folds the names of some animals that release 1.1.0 has added, so that they are found by name. Returns whether
   * there may be more of them.
   */
  foldNames(): Promise<boolean>;
  /** Returns when the store answers, and would not refuse every write. */
  check(): Awaitable<void>;
  /** Undefined for an embedded database. */
  readonly connections?: StoreConnections;
  /** Whether it answered, when it was last checked, that it takes no writes: a replica does. */
  isReadOnly(): boolean;
  /** Reports problems that no caller is told of. */
  onProblem(report: (problem: StoreProblem, error: Error) => void): void;
  close(): Awaitable<void>;
}

/** A store that further threads of the process can serve from too. */
export interface ServingStore<Handle> extends Store {
  /** What one more thread opens it with: plain data, and a port if it is embedded, to be sent there. */
  newHandle(): Handle;
}
