import { AdaptiveTimeout } from "./adaptive-timeout.ts";
import { type Scheduler, systemScheduler } from "./scheduler.ts";

/** With the rest of a request's work, the client still has its response within 200 ms. */
export const ANSWER_TIMEOUT_MS = 150;

const TURN_MS = 10;
/** The most that one turn of the event loop counts, however long it takes. */
const LONGEST_TURN_MS = 20;

/** A call to Redis. */
export interface Call {
  /** In running time. */
  readonly sinceMs: number;
  readonly giveUp: (error: Error) => void;
  state: "waiting" | "given up" | "over";
}

/** Gives up on answers that do not come although this process was able to run and would have read them. */
export class AnswerTimeouts {
  readonly #timeout: AdaptiveTimeout;
  /**
   * Time during which this process was able to run. It almost stands still while the process is stopped, starved of
   * CPU or busy: answers that Redis has sent meanwhile are still waiting to be read.
   */
  #runningMs = 0;
  #turnedAtMs = Number.NaN;
  /** In the order of their begin. The first is waiting; others may be over. */
  readonly #calls: Call[] = [];
  /** The calls that were given up, and are not over: a late answer tells that Redis is slow rather than dead. */
  #givenUp = 0;
  #isTurning = false;

  constructor(
    timeoutMs: number = ANSWER_TIMEOUT_MS,
    private readonly scheduler: Scheduler = systemScheduler,
  ) {
    this.#timeout = new AdaptiveTimeout(timeoutMs);
  }

  /** Starts to wait for an answer. */
  begin(giveUp: (error: Error) => void): Call {
    if (!this.#isTurning) {
      this.#isTurning = true;
      this.#turnedAtMs = this.scheduler.nowMs();
      this.scheduler.schedule(TURN_MS, this.#turn);
    }
    // The current turn began before the call, and does not count.
    const call: Call = { sinceMs: this.#runningMs + TURN_MS, giveUp, state: "waiting" };
    this.#calls.push(call);
    return call;
  }

  /** Ends the wait, with an answer or with a failure. Returns whether it had not been given up. */
  end(call: Call, isAnswer: boolean): boolean {
    const wasWaiting = call.state === "waiting";
    if (!wasWaiting) this.#givenUp--;
    call.state = "over";
    if (isAnswer) this.#timeout.record(this.#runningMs - call.sinceMs);
    return wasWaiting;
  }

  readonly #turn = (): void => {
    const nowMs = this.scheduler.nowMs();
    this.#runningMs += Math.min(nowMs - this.#turnedAtMs, LONGEST_TURN_MS);
    this.#turnedAtMs = nowMs;
    this.#timeout.age(nowMs);
    this.#dropFinished();
    const oldest = this.#calls[0];
    if (oldest && this.#isOverdue(oldest)) this.scheduler.afterArrivals(() => this.#giveUp());
    this.#isTurning = oldest !== undefined || this.#givenUp > 0;
    if (this.#isTurning) this.scheduler.schedule(TURN_MS, this.#turn);
  };

  #dropFinished(): void {
    const unfinished = this.#calls.findIndex(({ state }) => state === "waiting");
    this.#calls.splice(0, unfinished === -1 ? this.#calls.length : unfinished);
  }

  #isOverdue({ sinceMs }: Call): boolean {
    return this.#runningMs - sinceMs >= this.#timeout.ms;
  }

  #giveUp(): void {
    for (const call of this.#calls) {
      if (!this.#isOverdue(call)) return;
      if (call.state !== "waiting") continue;
      call.state = "given up";
      this.#givenUp++;
      call.giveUp(new Error(`no answer within ${this.#timeout.ms} ms`));
    }
  }
}
