import { withTimeout } from "../../../base/time/timeout.ts";
import type { IdempotencyKey } from "../../../domain/idempotency.ts";
import { STORE_CLOSED, type StoreProblem, StoreUnavailable } from "../../ports/store.ts";
import { reasonOf } from "../sql/attempt.ts";
import type { Write, WriteInput, WriteName, WriteResult, Writes } from "../tables/write.ts";
import type { WriteOutcome, WriteOutcomes } from "../writer/group-commit.ts";
import type { FromWriter, ToWriter } from "../writer/messages.ts";
import { type RecoveryPhase, TRUSTED } from "../writer/recovery.ts";

/** A write whose outcome somebody waits for. */
interface Pending {
  readonly write: Write;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * This many writes are handed over at once, or all at the end of a turn of the event loop: early enough for the writer
 * to work in parallel with this thread, rather than in turns with it.
 */
const HAND_OVER_BATCH_SIZE = 16;
/** This many writes are settled in one turn of the event loop, so that reads are served in between. */
const SETTLE_BATCH_SIZE = 12;
/** More than any number of connections causes at once. Beyond it, load is shed. */
const MAX_WAITING = 10_000;
/** A disk that does not respond must not hold up a stop for ever. */
const CLOSE_TIMEOUT_MS = 5_000;

interface WriteQueueOptions {
  /** Asks for a port to the writer, which is then passed to connect(), now or later. Throws when there can be none. */
  readonly requestPort: () => void;
  /** Closes the connection of this thread, because the database is opened again. */
  readonly closeConnection?: () => void;
  readonly onProblem?: (problem: StoreProblem, error: Error) => void;
}

/**
 * Sends the writes of one serving thread to the writer thread. Writes that any thread hands over during a commit are
 * the next commit.
 */
export class WriteQueue implements Writes {
  #port: MessagePort | undefined;
  #gathered: Pending[] = [];
  /** Handed over to the writer, in this order. */
  #underWay: Pending[] = [];
  /** Outcomes of the first of those, which are not settled yet. */
  #outcomes: WriteOutcome[] = [];
  #whenIdle: (() => void) | undefined;
  /** The latest phase of recovery after a failed sync that the writer has told. */
  phase: RecoveryPhase = TRUSTED;
  #isRequested = false;
  #isClosed = false;

  constructor(private readonly options: WriteQueueOptions) {}

  perform<Name extends WriteName>(
    name: Name,
    input: WriteInput<Name>,
    idempotencyKey?: IdempotencyKey,
  ): Promise<WriteResult<Name>> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable(STORE_CLOSED));
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(new StoreUnavailable("too many writes are waiting for the disk"));
    const { promise, resolve, reject } = Promise.withResolvers<WriteResult<Name>>();
    const count = this.#gathered.push({
      write: [name, input, idempotencyKey],
      resolve: resolve as (result: never) => void,
      reject,
    });
    if (count === 1) setImmediate(() => this.#handOver());
    else if (count === HAND_OVER_BATCH_SIZE) this.#handOver();
    return promise;
  }

  /** Asks for a port, so that the first write need not wait for one. */
  start(): void {
    if (this.#port || this.#isRequested) return;
    this.#isRequested = true;
    try {
      this.options.requestPort();
    } catch (error) {
      this.#isRequested = false;
      throw error;
    }
  }

  /** Hands over the writes that were gathered meanwhile, also after close() was called. */
  connect(port: MessagePort): void {
    this.#isRequested = false;
    this.#port = port;
    port.onmessage = ({ data }: { data: FromWriter }) => {
      if (data.kind !== "all_done" && data.kind !== "mixed") this.#receive(port, data);
      else if (this.#port === port) this.#take(outcomesIn(data));
    };
    this.#handOver();
  }

  /** Rejects what was gathered, because there is no writer, and none can be started. */
  refuse(reason: string): void {
    this.#isRequested = false;
    this.#reject(this.#gathered.splice(0), new StoreUnavailable(`the writer thread cannot be started: ${reason}`));
    this.#checkIdle();
  }

  /** Rejects what the writer had, because it is gone; the outcome is unknown. The next write asks for another one. */
  lose(reason: string): void {
    // A port that was asked for is still on its way: it leads to the next writer.
    this.#port?.close();
    this.#port = undefined;
    // Nobody waits any more for connections to be closed.
    if (this.phase.kind === "suspended") this.phase = { kind: "distrusted", reason: this.phase.reason };
    const lost = this.#underWay.splice(this.#outcomes.length);
    const error = new StoreUnavailable(`the writer thread was lost: ${reason}`, { changed: "unknown" });
    this.#reject(lost, error);
    this.#checkIdle();
    // The next writer must be able to have the connection closed, to open the database again.
    if (this.phase.kind !== "trusted" || this.#gathered.length > 0) this.#requestPort();
  }

  /** Finishes what was begun, and begins nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = Promise.withResolvers<void>();
    this.#whenIdle = idle.resolve;
    if (this.#waiting > 0) await withTimeout(idle.promise, CLOSE_TIMEOUT_MS);
    this.#reject(this.#gathered.splice(0), new StoreUnavailable(STORE_CLOSED));
    this.#reject(
      this.#underWay.splice(this.#outcomes.length),
      new StoreUnavailable("the disk did not respond", { changed: "unknown" }),
    );
  }

  /** Ends communication. Until then, a writer that closes can still have the connection closed. */
  disconnect(): void {
    this.#port?.postMessage({ kind: "leave" } satisfies ToWriter);
    this.#port?.close();
    this.#port = undefined;
  }

  get #waiting(): number {
    return this.#gathered.length + this.#underWay.length;
  }

  /** Runs in a turn of its own, where nobody else would catch what start() throws. */
  #requestPort(): void {
    try {
      this.start();
    } catch (error) {
      this.refuse(reasonOf(error));
    }
  }

  #handOver(): void {
    if (this.#gathered.length === 0) return;
    if (!this.#port) {
      // connect() hands over what was gathered, which may happen at once.
      this.#requestPort();
      return;
    }
    const writes = this.#gathered.map(({ write }) => write);
    this.#underWay.push(...this.#gathered);
    this.#gathered = [];
    this.#port.postMessage({ kind: "write", writes, handedOverAtMs: Date.now() } satisfies ToWriter);
  }

  /** Handles messages other than outcomes, also of a writer that is closing. */
  #receive(port: MessagePort, message: Exclude<FromWriter, WriteOutcomes>): void {
    const { closeConnection, onProblem } = this.options;
    if (message.kind === "problem") {
      onProblem?.(message.problem, new StoreUnavailable(message.message));
      return;
    }
    if (this.phase.kind === "trusted" && message.kind !== "trusted")
      onProblem?.("sync", new StoreUnavailable(message.reason));
    this.phase = message;
    if (message.kind !== "suspended") return;
    closeConnection?.();
    port.postMessage({ kind: "connection_closed" } satisfies ToWriter);
  }

  #take(outcomes: readonly WriteOutcome[]): void {
    if (this.#outcomes.push(...outcomes) === outcomes.length) this.#settle();
  }

  /** A batch in each turn of the event loop, until none is left. */
  #settle(): void {
    const outcomes = this.#outcomes.splice(0, SETTLE_BATCH_SIZE);
    if (this.#outcomes.length > 0) setImmediate(() => this.#settle());
    for (const outcome of outcomes) settle(this.#underWay.shift() as Pending, outcome);
    this.#checkIdle();
  }

  #reject(pending: readonly Pending[], error: Error): void {
    for (const { reject } of pending) reject(error);
  }

  #checkIdle(): void {
    if (this.#waiting === 0) this.#whenIdle?.();
  }
}

const outcomesIn = (outcomes: WriteOutcomes): readonly WriteOutcome[] =>
  outcomes.kind === "all_done" ? outcomes.outcomes.map((result) => ({ kind: "done", result })) : outcomes.outcomes;

function settle({ resolve, reject }: Pending, outcome: WriteOutcome): void {
  if (outcome.kind === "done") resolve(outcome.result as never);
  else if (outcome.kind === "unavailable") reject(new StoreUnavailable(outcome.message, outcome));
  else reject(new Error(outcome.message));
}
