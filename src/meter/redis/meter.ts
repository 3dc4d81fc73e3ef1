import type { Awaitable } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { RatePolicy, Verdict } from "../../domain/tally.ts";
import type { Meter } from "../meter.ts";
import { ANSWER_TIMEOUT_MS, AnswerTimeout, withAnswerTimeout } from "./answer-timeout.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { RedisClient } from "./client.ts";
import { Refusals } from "./refusals.ts";
import { type Scheduler, systemScheduler } from "./scheduler.ts";
import { argumentsOf, type JudgeAnswer, keyOf, readAnswer } from "./script.ts";

export interface RedisMeterParts {
  readonly client: RedisClient;
  /** Counts for this instance alone while Redis does not answer. */
  readonly fallback: Meter;
  readonly clock: Clock;
  /** Called when the fallback takes over, and when Redis is back. */
  readonly onDegraded: (isDegraded: boolean, error?: unknown) => void;
  /** The clock that requests are judged by. Absent: Redis's own, which is the same for all instances. */
  readonly scriptClock?: Clock | undefined;
  readonly scheduler?: Scheduler;
  /** How long an answer is waited for. */
  readonly answerTimeoutMs?: number | undefined;
}

const MAX_REMEMBERED_SUBJECTS = 50_000;
/** A slow Redis must not delay a stop. */
const CLOSE_TIMEOUT_MS = 500;
const PROBE_SUBJECT = "probe";
const PROBE_POLICY: RatePolicy = { perMinute: 1, pardonedAtMs: -1 };

/** Counts for all instances together: one round trip for a request, and none while a subject is known to be refused. */
export class RedisMeter implements Meter {
  readonly #refusals: Refusals;
  readonly #breaker: CircuitBreaker;

  constructor(private readonly parts: RedisMeterParts) {
    const { clock, scheduler = systemScheduler, onDegraded } = parts;
    this.#refusals = new Refusals({
      clock,
      scheduler,
      maxSubjects: MAX_REMEMBERED_SUBJECTS,
      report: (subject, policy) => this.#report(subject, policy),
    });
    this.#breaker = new CircuitBreaker({
      scheduler,
      // The script itself: a Redis that answers to PING may still be unable to count.
      probe: () => this.#run(PROBE_SUBJECT, PROBE_POLICY, false),
      onChange: (isOpen, error) => {
        if (isOpen) this.#refusals.clear();
        onDegraded(isOpen, error);
      },
    });
  }

  judge(subject: string, policy: RatePolicy): Awaitable<Verdict> {
    if (this.#breaker.isOpen) return this.parts.fallback.judge(subject, policy);
    return this.#refusals.judge(subject, policy) ?? this.#ask(subject, policy);
  }

  /** Reports the strikes that Redis has not heard of, and disconnects. */
  async close(): Promise<void> {
    await Promise.race([this.#refusals.reportStrikes(), Bun.sleep(CLOSE_TIMEOUT_MS)]);
    this.#breaker.dispose();
    this.parts.client.disconnect();
  }

  async #ask(subject: string, policy: RatePolicy): Promise<Verdict> {
    try {
      const answer = await this.#run(subject, policy, true);
      this.#refusals.remember(subject, answer, true);
      return answer.verdict;
    } catch (error) {
      this.#handleFailure(error);
      return this.parts.fallback.judge(subject, policy);
    }
  }

  async #report(subject: string, policy: RatePolicy): Promise<void> {
    try {
      this.#refusals.remember(subject, await this.#run(subject, policy, false), false);
    } catch (error) {
      this.#handleFailure(error);
    }
  }

  #run(subject: string, policy: RatePolicy, isRequest: boolean): Promise<JudgeAnswer> {
    const strikes = this.#refusals.takeStrikes(subject);
    const nowMs = this.parts.scriptClock?.nowMs();
    const args = argumentsOf({ policy, strikes, isRequest, nowMs });
    const { client, answerTimeoutMs = ANSWER_TIMEOUT_MS } = this.parts;
    const answer = withAnswerTimeout(client.judge(keyOf(subject), ...args), answerTimeoutMs);
    return answer.then((numbers) => readAnswer(numbers, policy));
  }

  /** One late answer may be the fault of this process; any other failure is Redis's. */
  #handleFailure(error: unknown): void {
    if (error instanceof AnswerTimeout) this.#breaker.suspect();
    else this.#breaker.trip(error);
  }
}
