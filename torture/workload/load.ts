import { ANIMAL_STATUSES } from "../../src/domain/stock/animal.ts";
import { type OrderStatus, transitionsFrom } from "../../src/domain/stock/order.ts";
import { Random } from "../common/random.ts";
import type { AnimalView, Holding, Ledger } from "../ledger/ledger.ts";
import { idIn, isHeld, moved, ORDERS, ordered, petText } from "./animals.ts";
import { CategoryWork } from "./categories.ts";
import type { Answered, Client, Request } from "./client.ts";
import { type Rival, race } from "./race.ts";
import { askForGone, mistakeWith, type Refused } from "./refusals.ts";
import { Writes } from "./writes.ts";

const INT64 = [0n, 1n, -1n, 7n, 9_007_199_254_740_993n, 2n ** 63n - 1n, -(2n ** 63n)];
const NAMES = ["Rex", "Mia", "Zoë", "ΣΊΣΥΦΟΣ", "犬", "O'Hara; DROP TABLE animals", "👩‍🚀", "x".repeat(200)];
const RACERS = 4;
/** Each worker keeps track of its newest animals only, up to this many. */
const HELD = 40;

/** The shares of a worker's actions, in all at most 1. The rest are orders for its animals, and their transitions. */
export interface Mix {
  readonly creations: number;
  readonly mistakes: number;
  readonly reads: number;
  /** Writes repeated with their idempotency key. */
  readonly repeats: number;
  /** Concurrent requests for the same animal, of which only one can succeed. */
  readonly races: number;
  /** Updates of an animal's name, category or status. */
  readonly updates: number;
  /** Deletions of animals. */
  readonly deletions: number;
  /** Categories named and unnamed. */
  readonly categories: number;
  /** The share of writes with an idempotency key. */
  readonly named: number;
}

export const OF_ALL: Mix = {
  ...{ creations: 0.3, mistakes: 0.05, reads: 0.1, repeats: 0.05, races: 0.05 },
  ...{ updates: 0.15, deletions: 0.05, categories: 0.05, named: 0.5 },
};

/** Only orders and their transitions. */
export const OF_ORDERS: Mix = {
  ...{ creations: 0, mistakes: 0, reads: 0, repeats: 0, races: 0 },
  ...{ updates: 0, deletions: 0, categories: 0, named: 0 },
};

type Existing = NonNullable<AnimalView>;

/**
 * One client that creates, updates, orders, deletes and reads animals, and records every response in the ledger. Only
 * it writes to its animals, one request after another, so it knows the state that each must be in.
 */
export class Worker {
  #holdings: Holding[] = [];
  readonly #writes: Writes;
  readonly #categories: CategoryWork;
  #count = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly random: Random,
    /** Must be unique, because names of animals and idempotency keys begin with it. */
    private readonly label: string,
    private readonly mix: Mix = OF_ALL,
  ) {
    this.#writes = new Writes(ledger, random);
    this.#categories = new CategoryWork(ledger, this.#writes, random, label);
  }

  /** Works until it is told to stop, or the service no longer answers. */
  async work(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver()) if (!(await this.#act(client))) return;
  }

  /** After an outage: repeats unanswered writes that have an idempotency key. Each must then exist exactly once. */
  retryUnanswered(client: Client): Promise<void> {
    return this.#writes.retryUnanswered(client);
  }

  async #act(client: Client): Promise<boolean> {
    const usable = this.#holdings.filter(({ history }) => !history.open && history.acknowledged).slice(-20);
    const holding = usable.length > 0 ? this.random.pick(usable) : undefined;
    let action = this.random.float();
    const isNow = (share: number): boolean => {
      action -= share;
      return action < 0;
    };
    const { creations, mistakes, reads, repeats, races, updates, deletions, categories } = this.mix;
    if (!holding || isNow(creations)) return this.#create(client);
    const view = holding.history.acknowledged as Existing;
    if (isNow(mistakes)) return this.#makeMistake(client, holding, view);
    if (isNow(reads)) return this.#read(client, holding, view);
    if (isNow(repeats)) return this.#writes.repeat(client);
    if (isNow(categories)) return this.#categories.act(client, (request) => this.#maybeNamed(request));
    if (isNow(updates)) return this.#update(client, holding, view);
    if (isNow(deletions)) return this.#deleteNewest(client, usable);
    if (view.status === "available" && !isHeld(view))
      return isNow(races) ? this.#race(client, holding, view) : this.#place(client, holding, view);
    if (isHeld(view)) return this.#move(client, holding, view);
    return updates > 0 ? this.#update(client, holding, view) : this.#create(client);
  }

  /** Gives some writes an idempotency key. */
  #maybeNamed(request: Request): Request {
    return this.random.chance(this.mix.named)
      ? { ...request, idempotencyKey: `${this.label}-${this.#count++}` }
      : request;
  }

  /** Gives some updates and deletions an If-Match with the last tag seen. */
  #maybeConditional(request: Request, holding: Holding, view: Existing): Request {
    const now = petText(holding.id, view);
    const tag = [...holding.contentByTag].find(([, content]) => content === now)?.[0];
    if (tag === undefined || this.random.chance(0.6)) return request;
    this.ledger.board.count("conditional writes");
    return { ...request, ifMatch: this.random.pick([tag, "*", `"another", ${tag}`]) };
  }

  #nextHandle(): string {
    return `${this.label} #${this.#count++}`;
  }

  /** Checks a response that contains an animal. */
  #expectPet(holding: Holding, view: Existing, { body, headers }: Answered): void {
    const expected = petText(holding.id, view);
    const what = () => `${holding.handle} was answered with ${body} instead of ${expected}`;
    if (this.ledger.board.check(body === expected, what)) this.ledger.noteTag(holding, body, headers.get("etag"));
  }

  async #create(client: Client): Promise<boolean> {
    const holding = this.ledger.hold(this.#nextHandle());
    const name = `${holding.handle} ${this.random.pick(NAMES)}`;
    const view = { name, categoryId: this.random.pick(INT64), status: "available", orders: [] };
    const above = this.ledger.highestId;
    const body = `{"name":${JSON.stringify(name)},"categoryId":${view.categoryId}}`;
    const isAlive = await this.#writes.send(client, {
      ...{ history: holding.history, view, status: 201 },
      request: this.#maybeNamed({ method: "POST", target: "/pets", body }),
      onDone: (answer) => {
        this.ledger.noteId(holding, idIn(answer.body), above);
        this.#expectPet(holding, view, answer);
      },
    });
    // The oldest animals are dropped, so that new orders mostly meet animals with unfinished orders.
    if (holding.history.acknowledged) this.#holdings = [...this.#holdings.slice(1 - HELD), holding];
    return isAlive;
  }

  #update(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const { random } = this;
    const change = {
      // The name is never used again, so that a lost update shows.
      ...(random.chance(0.6) ? { name: `${holding.handle} ${random.pick(NAMES)} ${this.#count++}` } : {}),
      ...(random.chance(0.4) ? { categoryId: random.pick(INT64) } : {}),
      ...(random.chance(0.4) ? { status: isHeld(view) ? view.status : random.pick(ANIMAL_STATUSES) } : {}),
    };
    const members = Object.entries(change).map(
      ([name, value]) => `"${name}":${typeof value === "bigint" ? value : JSON.stringify(value)}`,
    );
    const body = `{${members.join(",") || `"categoryId":${view.categoryId}`}}`;
    const updated = { ...view, ...change };
    const request: Request = { method: "PATCH", target: `/pets/${holding.id}`, body };
    this.ledger.board.count("updates");
    return this.#writes.send(client, {
      ...{ history: holding.history, view: updated, status: 200 },
      request: this.#maybeNamed(this.#maybeConditional(request, holding, view)),
      onDone: (answer) => this.#expectPet(holding, updated, answer),
    });
  }

  /** Deletes the newest animal, because its id would be the first to be reused. */
  #deleteNewest(client: Client, usable: readonly Holding[]): Promise<boolean> {
    const newest = usable.findLast(({ history }) => history.acknowledged?.orders.length === 0);
    return newest ? this.#delete(client, newest, newest.history.acknowledged as Existing) : this.#create(client);
  }

  #delete(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const target = `/pets/${holding.id}`;
    const { board } = this.ledger;
    board.count("deletions");
    return this.#writes.send(client, {
      ...{ history: holding.history, view: undefined, status: 204 },
      request: this.#maybeNamed(this.#maybeConditional({ method: "DELETE", target }, holding, view)),
      onDone: ({ body }) => void board.check(body === "", () => `DELETE ${target} was answered with ${body}`),
    });
  }

  #place(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    return this.#writes.send(client, {
      ...{ history: holding.history, view: ordered(view), status: 201 },
      request: this.#maybeNamed({ method: "POST", target: ORDERS, body: `{"petId":${holding.id}}` }),
      onDone: ({ body }) => this.ledger.noteOrder(holding, idIn(body)),
    });
  }

  #move(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const to = this.random.pick(transitionsFrom(view.orders.at(-1) as OrderStatus));
    const target = `${ORDERS}/${holding.orders.at(-1)?.id}`;
    const { board } = this.ledger;
    return this.#writes.send(client, {
      ...{ history: holding.history, view: moved(view, to), status: 200 },
      request: this.#maybeNamed({ method: "PATCH", target, body: `{"status":"${to}"}` }),
      onDone: ({ body }) =>
        void board.check(body.includes(`"status":"${to}"`), () => `a move to ${to} was answered with ${body}`),
    });
  }

  /** Places several orders at once, sometimes beside a deletion or an update that would prevent them. */
  async #race(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const target = `/pets/${holding.id}`;
    const after = ordered(view);
    const order: Rival = {
      request: { method: "POST", target: ORDERS, body: `{"petId":${holding.id}}` },
      view: after,
      done: 201,
      // 400 means that the animal was deleted.
      beaten: view.orders.length === 0 ? [409, 400] : [409],
      onDone: (body) => this.ledger.noteOrder(holding, idIn(body)),
    };
    const sale = { method: "PATCH", target, body: '{"status":"sold"}' } as const;
    const others: Rival[] = [{ request: sale, view: { ...view, status: "sold" }, done: 200, beaten: [409] }];
    if (view.orders.length === 0)
      others.push({ request: { method: "DELETE", target }, view: undefined, done: 204, beaten: [409] });
    const rivals = [...Array(RACERS - 1).fill(order), this.random.pick([order, ...others])];
    const outcome = await race(client, this.ledger, holding, this.random.shuffle(rivals));
    // A request in doubt may still be carried out once the animal is free again.
    if (outcome !== "certain") this.#retire(holding);
    return outcome !== "silence";
  }

  #retire(holding: Holding): void {
    this.#holdings = this.#holdings.filter((each) => each !== holding);
  }

  #read(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const { id, orders } = holding;
    const orderId = orders.at(-1)?.id;
    if (orderId !== undefined && this.random.chance(0.3))
      return this.#get(client, `${ORDERS}/${orderId}`, ({ body }) => {
        const isRight = idIn(body) === orderId && body.includes(`"status":"${view.orders.at(-1)}"`);
        this.ledger.board.check(isRight, () => `order ${orderId}, ${view.orders.at(-1)}, was answered with ${body}`);
      });
    if (this.random.chance(0.5))
      return this.#get(client, `/pets/${id}`, (answer) => this.#expectPet(holding, view, answer));
    return this.#get(client, `/pets?id=${id}`, (answer) =>
      this.#expectPet(holding, view, { ...answer, body: answer.body.slice(1, -1) }),
    );
  }

  async #get(client: Client, target: string, check: (answer: Answered) => void): Promise<boolean> {
    const outcome = await client.send({ method: "GET", target });
    this.ledger.board.count("reads");
    if (outcome.kind === "silence") return false;
    const isFound = outcome.status === 200;
    this.ledger.board.check(isFound || outcome.status === 503, () => `GET ${target} was answered with ${outcome.body}`);
    if (isFound) check(outcome);
    return true;
  }

  #makeMistake(client: Client, holding: Holding, view: Existing): Promise<boolean> {
    const gone = this.#holdings.filter(({ id, history }) => id && !history.open && !history.acknowledged);
    const kind = this.random.float();
    if (kind < 0.3) return this.#createInvalid(client);
    if (kind < 0.6 && gone.length > 0) return this.#beRefused(client, askForGone(this.random.pick(gone), this.random));
    return this.#beRefused(client, mistakeWith(holding, view, this.random), holding);
  }

  #createInvalid(client: Client): Promise<boolean> {
    const { handle, history } = this.ledger.hold(this.#nextHandle());
    const view = { name: `${handle} Rex`, categoryId: 1n, status: "lost", orders: [] };
    history.send(view, this.ledger.now()).refusedAt = 0;
    const body = `{"name":${JSON.stringify(view.name)},"categoryId":1,"status":"lost"}`;
    return this.#beRefused(client, { request: { method: "POST", target: "/pets", body }, status: 400, code: "" });
  }

  async #beRefused(client: Client, { request, status, code }: Refused, holding?: Holding): Promise<boolean> {
    const outcome = await client.send(request);
    this.ledger.board.count("refused");
    // The request may still be carried out after the animal has changed.
    if (holding && (outcome.kind === "silence" || outcome.status === 503)) this.#retire(holding);
    if (outcome.kind === "silence") return false;
    const isRight = outcome.status === 503 || (outcome.status === status && outcome.body.includes(code));
    this.ledger.board.check(
      isRight,
      () =>
        `${request.method} ${request.target} ${request.body ?? ""} was answered with ${outcome.status} ${outcome.body} instead of ${status} ${code}`,
    );
    return true;
  }
}

/** Makes several workers, each with its own names and random choices. */
export function workers(ledger: Ledger, count: number, random: Random, label = "worker", mix = OF_ALL): Worker[] {
  const seed = random.int(0, 2 ** 32 - 1);
  return Array.from({ length: count }, (_, i) => new Worker(ledger, Random.of(seed, i), `${label} ${i}`, mix));
}
