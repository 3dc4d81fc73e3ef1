import { movesFrom, type OrderStatus } from "../../src/domain/order.ts";
import { type Client, type Outcome, type Request, saysNothingChanged } from "./client.ts";
import type { Step } from "./history.ts";
import type { AnimalView, Holding, Ledger } from "./ledger.ts";
import { Random } from "./random.ts";

const INT64 = [0n, 1n, -1n, 7n, 9_007_199_254_740_993n, 2n ** 63n - 1n, -(2n ** 63n)];
const NAMES = ["Rex", "Mia", "Zoë", "犬", "O'Hara; DROP TABLE animals", "👩‍🚀", "x".repeat(200)];
const ANIMAL_AFTER: Record<string, string> = { approved: "pending", delivered: "sold", cancelled: "available" };
const RACERS = 4;
const ORDERS = "/store/orders";

/** How often a worker does what; the rest are orders for its animals, and their moves. Together at most 1. */
export interface Mix {
  readonly creations: number;
  readonly mistakes: number;
  readonly reads: number;
  /** Writes that are sent again under their idempotency key. */
  readonly repeats: number;
  /** Orders of several clients at once for the same animal. */
  readonly races: number;
  /** The share of creations and orders that have an idempotency key. */
  readonly named: number;
}

export const OF_ALL: Mix = { creations: 0.45, mistakes: 0.05, reads: 0.1, repeats: 0.05, races: 0.05, named: 0.5 };

/** A write with an idempotency key, to be sent again. */
interface Named {
  readonly request: Request;
  readonly holding: Holding;
  readonly step: Step<AnimalView>;
  body: string | undefined;
}

/**
 * One client that creates, orders, moves and reads, and keeps book of all that it is told. It looks after animals
 * of its own, one request after another, so it knows what each has to look like.
 */
export class Worker {
  readonly #holdings: Holding[] = [];
  #named: Named[] = [];
  #count = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly random: Random,
    /** Unique, because names of animals and idempotency keys begin with it. */
    private readonly label: string,
    private readonly mix: Mix = OF_ALL,
  ) {}

  /** Works until it is told to stop or nothing comes back. */
  async work(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver()) if (!(await this.#act(client))) return;
  }

  async #act(client: Client): Promise<boolean> {
    const usable = this.#holdings.filter(({ history }) => !history.open).slice(-20);
    const holding = usable.length > 0 ? this.random.pick(usable) : undefined;
    let action = this.random.float();
    const isNow = (share: number): boolean => {
      action -= share;
      return action < 0;
    };
    const { creations, mistakes, reads, repeats, races } = this.mix;
    if (!holding || isNow(creations)) return this.#create(client);
    if (isNow(mistakes)) return this.#createInvalid(client);
    if (isNow(reads)) return this.#read(client, holding);
    if (isNow(repeats)) return this.#repeat(client);
    const { status = "", orders = [] } = holding.history.acknowledged ?? {};
    if (status === "available") return isNow(races) ? this.#race(client, holding) : this.#place(client, holding);
    const order = orders.at(-1) as OrderStatus | undefined;
    return order && movesFrom(order).length > 0 ? this.#move(client, holding, order) : this.#create(client);
  }

  #nextName(): string {
    return `${this.label} ${this.#count++} ${this.random.pick(NAMES)}`;
  }

  /** Some writes can be repeated. */
  #maybeNamed(request: Request): Request {
    return this.random.chance(this.mix.named)
      ? { ...request, idempotencyKey: `${this.label}-${this.#count++}` }
      : request;
  }

  async #create(client: Client): Promise<boolean> {
    const holding = this.ledger.hold(this.#nextName(), this.random.pick(INT64));
    const { name, categoryId } = holding;
    const above = this.ledger.highestId;
    const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`;
    const request = this.#maybeNamed({ method: "POST", target: "/pets", body });
    const isAlive = await this.#write(client, holding, request, { status: "available", orders: [] }, (id) =>
      this.ledger.noteId(holding, id, above),
    );
    // Most stay out of the way, so that orders meet animals that others have not finished with.
    if (holding.history.acknowledged) this.#holdings.push(holding);
    return isAlive;
  }

  async #createInvalid(client: Client): Promise<boolean> {
    const holding = this.ledger.hold(this.#nextName(), 1n);
    const body = `{"name":${JSON.stringify(holding.name)},"categoryId":1,"status":"lost"}`;
    const step = holding.history.send({ status: "lost", orders: [] }, this.ledger.now());
    step.refusedAt = 0;
    const outcome = await client.send({ method: "POST", target: "/pets", body });
    return this.#expect(outcome, "POST /pets with a mistake", 400);
  }

  #place(client: Client, holding: Holding): Promise<boolean> {
    const request = this.#maybeNamed({ method: "POST", target: ORDERS, body: `{"petId":${holding.id}}` });
    const orders = [...(holding.history.acknowledged?.orders ?? []), "placed"];
    return this.#write(client, holding, request, { status: "pending", orders }, (id) => holding.orderIds.push(id));
  }

  #move(client: Client, holding: Holding, from: OrderStatus): Promise<boolean> {
    const to = this.random.pick(movesFrom(from));
    const target = `${ORDERS}/${holding.orderIds.at(-1)}`;
    const orders = [...(holding.history.acknowledged?.orders ?? []).slice(0, -1), to];
    const view = { status: ANIMAL_AFTER[to] as string, orders };
    return this.#write(client, holding, { method: "PATCH", target, body: `{"status":"${to}"}` }, view, () => {});
  }

  async #write(
    client: Client,
    holding: Holding,
    request: Request,
    view: AnimalView,
    onId: (id: bigint) => void,
  ): Promise<boolean> {
    const step = holding.history.send(view, this.ledger.now());
    const named: Named | undefined = request.idempotencyKey ? { request, holding, step, body: undefined } : undefined;
    if (named) this.#named = [...this.#named.slice(-20), named];
    const outcome = await client.send(request);
    this.ledger.board.count("writes");
    const success = request.method === "PATCH" ? 200 : 201;
    if (outcome.kind === "answered" && outcome.status === success) {
      step.ackedAt = this.ledger.now();
      this.ledger.board.count("acknowledged");
      onId(idIn(outcome.body));
      if (named) named.body = outcome.body;
      return true;
    }
    return this.#failed(outcome, step, `${request.method} ${request.target} ${request.body}`);
  }

  /** Keeps book of a write that did not succeed. Returns whether the service is still there. */
  #failed(outcome: Outcome, step: Step<AnimalView>, what: string): boolean {
    if (outcome.kind === "silence") {
      this.ledger.board.count("not answered");
      return false;
    }
    if (outcome.status === 503) {
      const isRefused = saysNothingChanged(outcome.body);
      if (isRefused) step.refusedAt = this.ledger.now();
      this.ledger.board.count(isRefused ? "503, nothing changed" : "503, in doubt");
      return true;
    }
    step.refusedAt = this.ledger.now();
    this.ledger.board.violation(`${what} was answered with ${outcome.status} ${outcome.body}`);
    return true;
  }

  /** Several clients want the same animal: one of them gets it. */
  async #race(client: Client, holding: Holding): Promise<boolean> {
    const { board } = this.ledger;
    const orders = [...(holding.history.acknowledged?.orders ?? []), "placed"];
    const step = holding.history.send({ status: "pending", orders }, this.ledger.now());
    const request: Request = { method: "POST", target: ORDERS, body: `{"petId":${holding.id}}` };
    const outcomes = await Promise.all(Array.from({ length: RACERS }, () => client.send(request)));
    board.count("races");
    const answers = outcomes.filter((outcome) => outcome.kind === "answered");
    const winners = answers.filter(({ status }) => status === 201);
    board.check(winners.length <= 1, () => `${holding.name} was sold ${winners.length} times`);
    for (const { status, body } of answers)
      board.check(
        [201, 409, 503].includes(status),
        () => `an order for ${holding.name} was answered ${status} ${body}`,
      );
    if (winners[0]) {
      step.ackedAt = this.ledger.now();
      board.count("acknowledged");
      holding.orderIds.push(idIn(winners[0].body));
    } else if (answers.length === RACERS) {
      if (answers.every(({ status, body }) => status === 503 && saysNothingChanged(body)))
        step.refusedAt = this.ledger.now();
      board.check(
        !answers.some(({ status }) => status === 409) || answers.some(({ status }) => status === 503),
        () => `${holding.name} was free, and all who ordered it were refused`,
      );
    }
    return answers.length === RACERS;
  }

  async #read(client: Client, { id, name, categoryId, history }: Holding): Promise<boolean> {
    const expected = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${history.acknowledged?.status}"}`;
    const outcome = await client.send({ method: "GET", target: `/pets/${id}` });
    this.ledger.board.count("reads");
    if (!this.#expect(outcome, `GET /pets/${id}`, 200)) return false;
    if (outcome.kind === "silence" || outcome.status === 503) return true;
    const { body } = outcome;
    this.ledger.board.check(body === expected, () => `GET /pets/${id} said ${body} instead of ${expected}`);
    return true;
  }

  /** Sends a write again that has a key: nothing happens twice, and an answer that was given is given again. */
  async #repeat(client: Client): Promise<boolean> {
    const repeatable = this.#named.filter((named) => named.body !== undefined || isOpen(named));
    if (repeatable.length === 0) return true;
    const named = this.random.pick(repeatable);
    const { request, body } = named;
    const outcome = await client.send(request);
    this.ledger.board.count("repeated");
    if (outcome.kind === "silence") return false;
    if (outcome.status === 503) return true;
    if (body === undefined) this.#noteRetry(named, outcome);
    else
      this.ledger.board.check(
        outcome.body === body,
        () => `a repeated ${request.method} ${request.target} said ${outcome.body} instead of ${body}`,
      );
    return true;
  }

  /** After an outage: sends again what was not answered and can be repeated. Then it is there, once. */
  async retryUnanswered(client: Client): Promise<void> {
    for (const named of this.#named.filter(isOpen)) {
      const outcome = await client.send(named.request);
      this.ledger.board.count("retried");
      if (outcome.kind === "answered") this.#noteRetry(named, outcome);
    }
  }

  /** A write that was in doubt has been answered. */
  #noteRetry(named: Named, { status, body }: Answered): void {
    const { request, holding, step } = named;
    const what = `a retry of ${request.method} ${request.target}`;
    if (!this.ledger.board.check(status === 201, () => `${what} was answered with ${status} ${body}`)) return;
    step.ackedAt = this.ledger.now();
    named.body = body;
    const id = idIn(body);
    if (request.target === "/pets") this.ledger.noteId(holding, id, 0n);
    else holding.orderIds.push(id);
  }

  #expect(outcome: Outcome, what: string, status: number): boolean {
    if (outcome.kind === "silence") return false;
    return this.ledger.board.check(
      outcome.status === status || outcome.status === 503,
      () => `${what} was answered with ${outcome.status} ${outcome.body}`,
    );
  }
}

type Answered = Extract<Outcome, { kind: "answered" }>;

/** Whether nobody knows what became of it. */
const isOpen = ({ holding, step }: Named): boolean => holding.history.open === step;

/** Exact, as JSON.parse() would not be. */
const idIn = (body: string): bigint => BigInt(/^\{"id":(\d+),/.exec(body)?.[1] ?? "0");

/** Several workers at once, with names and choices of their own. */
export function workers(ledger: Ledger, count: number, random: Random, label = "worker", mix = OF_ALL): Worker[] {
  const seed = random.int(0, 2 ** 32 - 1);
  return Array.from({ length: count }, (_, i) => new Worker(ledger, Random.of(seed, i), `${label} ${i}`, mix));
}
