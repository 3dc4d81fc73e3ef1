import type { Random } from "../common/random.ts";
import type { History, Step } from "../ledger/history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type Answered, type Client, type Outcome, type Request, saysNothingChanged, sendPatiently } from "./client.ts";

/** A write to something with a single writer. */
export interface Write<View> {
  readonly history: History<View>;
  /** The state after the write. */
  readonly view: View;
  readonly request: Request;
  /** The status of success. */
  readonly status: number;
  /** Records and checks the successful response. */
  readonly onDone: (answer: Answered) => void;
}

/** A write with an idempotency key, which can be repeated. */
interface Named {
  readonly request: Request;
  /** The body of the first response, once there is one. */
  body: string | undefined;
  isInDoubt(): boolean;
  /** Handles the response to a write that was in doubt. */
  settle(answer: Answered): void;
}

/** The number of latest writes that may be repeated. */
const REMEMBERED = 20;

/** Sends writes, records their outcomes, and repeats those that have an idempotency key. */
export class Writes {
  #named: Named[] = [];

  constructor(
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {}

  /** Returns false if the service no longer answers. */
  async send<View>(client: Client, write: Write<View>): Promise<boolean> {
    const { request, status, onDone } = write;
    const { board } = this.ledger;
    const step = write.history.send(write.view, this.ledger.now());
    const named = request.idempotencyKey === undefined ? undefined : this.#remember(write, step);
    const outcome = await client.send(request);
    board.count("writes");
    if (outcome.kind === "answered" && outcome.status === status) {
      step.ackedAt = this.ledger.now();
      board.count("acknowledged");
      if (named) named.body = outcome.body;
      onDone(outcome);
      return true;
    }
    return this.#failed(outcome, step, `${request.method} ${request.target} ${request.body ?? ""}`);
  }

  #remember<View>({ request, history, status, onDone }: Write<View>, step: Step<View>): Named {
    const { board } = this.ledger;
    const named: Named = {
      request,
      body: undefined,
      isInDoubt: () => history.open === step,
      settle: (answer) => {
        const what = () => `a retry of ${textOf(request)} was answered with ${answer.status} ${answer.body}`;
        if (!board.check(answer.status === status, what)) return;
        step.ackedAt = this.ledger.now();
        named.body = answer.body;
        onDone(answer);
      },
    };
    this.#named = [...this.#named.slice(1 - REMEMBERED), named];
    return named;
  }

  /** Records a write that did not succeed. Returns false if the service no longer answers. */
  #failed(outcome: Outcome, step: Step<unknown>, what: string): boolean {
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

  /**
   * Repeats a write that has an idempotency key: nothing may happen twice, and an earlier response must be replayed,
   * whatever has happened to the thing since.
   */
  async repeat(client: Client): Promise<boolean> {
    const { board } = this.ledger;
    const repeatable = this.#named.filter((named) => named.body !== undefined || named.isInDoubt());
    if (repeatable.length === 0) return true;
    const named = this.random.pick(repeatable);
    const { request, body } = named;
    const outcome = await client.send(request);
    board.count("repeated");
    if (outcome.kind === "silence") return false;
    if (outcome.status === 503) return true;
    if (body === undefined) named.settle(outcome);
    else {
      const isReplayed = outcome.body === body && outcome.headers.get("idempotency-replayed") === "true";
      const what = () => `a repeated ${textOf(request)} said ${outcome.status} ${outcome.body} instead of ${body}`;
      board.check(isReplayed, what);
    }
    return true;
  }

  /** After an outage: repeats unanswered writes that have an idempotency key. Each must then exist exactly once. */
  async retryUnanswered(client: Client): Promise<void> {
    for (const named of this.#named.filter((each) => each.isInDoubt())) {
      const outcome = await sendPatiently(client, named.request, () => {
        this.ledger.board.count("retried");
        this.ledger.board.count(`retried: ${named.request.method}`);
      });
      if (outcome.kind === "answered") named.settle(outcome);
    }
  }
}

const textOf = ({ method, target }: Request): string => `${method} ${target}`;
