import type { Awaitable } from "../../base/time/awaitable.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import { atEndOfTurn } from "../../base/time/turn.ts";
import { type RatePolicy, TALLY_NUMBER_NAMES, type Tally, type Verdict } from "../../domain/limits/tally.ts";
import type { AnswerOutcome, Meter, RedisSettings } from "../meter.ts";
import type { TallyTable } from "../tally-table.ts";
import { argumentsOf, type JudgeAnswer, keyOf, readAnswer, tallyOf, verdictsOf } from "./commands/script.ts";
import { Fallback } from "./fallback.ts";
import { Refusals } from "./refusals.ts";
import { CircuitBreakers } from "./servers/circuit-breakers.ts";
import type { RedisClient } from "./servers/client.ts";
import { failureOf, isReply } from "./servers/failures.ts";
import type { Servers } from "./servers/servers.ts";
import { AnswerTimeouts } from "./timeouts/answer-timeout.ts";
import { type Scheduler, systemScheduler } from "./timeouts/scheduler.ts";

export interface RedisMeterParts extends RedisSettings {
  readonly client: RedisClient;
  readonly servers: Servers;
  /** The counts of this instance alone, for when Redis does not answer. */
  readonly table: TallyTable;
  readonly scheduler?: Scheduler;
}

const MAX_CACHED_SUBJECTS = 50_000;
/** A slow Redis must not delay a stop. */
const CLOSE_TIMEOUT_MS = 500;
/** A connection that works again needs less time than this for its first answer, unless it has gone dead. */
const REPLACE_CONNECTION_AFTER_MS = 1_500;
const PROBE_POLICY: RatePolicy = { perMinute: 1, unbannedAtMs: -1 };

/** Requests of one subject that wait for their verdicts. */
interface Asked {
  readonly policy: RatePolicy;
  readonly waiting: ((verdict: Awaitable<Verdict>) => void)[];
}

/** Counts for all instances together: at most one round trip a request, and none while a refusal is cached. */
export class RedisMeter implements Meter {
  readonly #refusals: Refusals;
  readonly #fallback: Fallback;
  readonly #breakers: CircuitBreakers;
  readonly #timeouts: AnswerTimeouts;
  readonly #scheduler: Scheduler;
  /** The time when a connection to a server that is away was last found dead or replaced. */
  readonly #replacedAtMs = new Map<string, number>();
  #known: readonly string[] = [];
  /** The requests of this turn of the event loop, by subject. */
  #asked = new Map<string, Asked>();

  constructor(private readonly parts: RedisMeterParts) {
    const { clock, table, servers, scheduler = systemScheduler, answerTimeoutMs } = parts;
    this.#scheduler = scheduler;
    this.#fallback = new Fallback(clock, table);
    // Answers come in real time, whatever the injected scheduler does.
    this.#timeouts = new AnswerTimeouts(answerTimeoutMs);
    this.#refusals = new Refusals({
      clock,
      scheduler,
      maxSubjects: MAX_CACHED_SUBJECTS,
      report: (subject, policy) => this.#report(subject, policy),
    });
    this.#breakers = new CircuitBreakers({
      scheduler,
      probe: (server) => this.#probe(server),
      onChange: (server, state, error) => this.#handleChange(server, state, error),
    });
    servers.onChange(() => this.#handleOtherServers());
    this.#handleOtherServers();
  }

  judge(subject: string, policy: RatePolicy): Awaitable<Verdict> {
    if (this.#isAway(subject)) return this.#fallback.judge(subject, policy);
    return this.#refusals.judge(subject, policy) ?? this.#ask(subject, policy);
  }

  isRefused(subject: string, policy: RatePolicy): boolean {
    return this.#isAway(subject)
      ? this.#fallback.isRefused(subject, policy)
      : this.#refusals.isRefused(subject, policy);
  }

  async tally(subject: string): Promise<Tally> {
    const { client } = this.parts;
    if (this.#isAway(subject)) return this.#fallback.tally(subject);
    try {
      return await this.#answered(client.hmget(keyOf(subject), ...TALLY_NUMBER_NAMES), tallyOf);
    } catch (error) {
      this.#handleFailure(subject, error);
      return this.#fallback.tally(subject);
    }
  }

  /** Probes every server now, instead of with the first request. Returns those that do not count, and why. */
  async check(): Promise<{ server: string; error: unknown }[]> {
    const { servers } = this.parts;
    const check = async (server: string) => {
      const error = await this.#run(servers.probeSubject(server), PROBE_POLICY, 0).then(
        () => undefined,
        (failure: unknown) => this.#explain(server, failure),
      );
      return error === undefined ? [] : [{ server, error }];
    };
    return (await Promise.all(servers.names().map(check))).flat();
  }

  /** Stops asking a server until a probe of it succeeds. */
  giveUp(server: string, error: unknown): void {
    this.#breakers.trip(server, error);
  }

  /** Reports the strikes that Redis has not heard of, and disconnects. */
  async close(): Promise<void> {
    await withTimeout(this.#refusals.reportStrikes(), CLOSE_TIMEOUT_MS);
    this.#breakers.dispose();
    this.parts.client.disconnect();
  }

  #isAway(subject: string): boolean {
    return !this.#breakers.areAllClosed && this.#breakers.isOpen(this.parts.servers.of(subject));
  }

  /** Gathers the requests of a subject in one turn of the event loop into one call. */
  #ask(subject: string, policy: RatePolicy): Promise<Verdict> {
    if (this.#asked.size === 0) atEndOfTurn(this.#askTogether);
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const asked = this.#asked.get(subject);
    if (asked) asked.waiting.push(resolve);
    else this.#asked.set(subject, { policy, waiting: [resolve] });
    return promise;
  }

  readonly #askTogether = (): void => {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const [subject, { policy, waiting }] of asked) void this.#askFor(subject, policy, waiting);
  };

  async #askFor(subject: string, policy: RatePolicy, waiting: Asked["waiting"]): Promise<void> {
    let verdicts: readonly Verdict[];
    let next: Meter = this;
    try {
      const answer = await this.#run(subject, policy, waiting.length);
      this.#record(subject, answer, true);
      verdicts = verdictsOf(answer, policy);
    } catch (error) {
      this.#handleFailure(subject, error);
      verdicts = [];
      next = this.#fallback;
    }
    for (const [i, resolve] of waiting.entries()) resolve(verdicts[i] ?? next.judge(subject, policy));
  }

  async #report(subject: string, policy: RatePolicy): Promise<void> {
    if (this.#isAway(subject)) return void this.#refusals.takeStrikes(subject);
    try {
      this.#record(subject, await this.#run(subject, policy, 0), false);
    } catch (error) {
      this.#handleFailure(subject, error);
    }
  }

  #record(subject: string, answer: JudgeAnswer, isRequest: boolean): void {
    this.#refusals.record(subject, answer, isRequest);
    this.#fallback.record(subject, answer);
  }

  #run(subject: string, policy: RatePolicy, requests: number): Promise<JudgeAnswer> {
    const { client, clock, scriptClock } = this.parts;
    const strikes = this.#refusals.takeStrikes(subject);
    const args = argumentsOf({ policy, strikes, requests, nowMs: scriptClock?.nowMs() });
    const askedAtMs = clock.nowMs();
    return this.#answered(client.judge(keyOf(subject), ...args), (numbers) => readAnswer(numbers, policy, askedAtMs));
  }

  /** Resolves to Redis's answer to a command that was just sent, unless that takes too long. */
  #answered<Answer, Value>(command: Promise<Answer>, read: (answer: Answer) => Value): Promise<Value> {
    const { onAnswer } = this.parts;
    const fromMs = onAnswer ? performance.now() : 0;
    return new Promise((resolve, reject) => {
      const end = (outcome: AnswerOutcome) => onAnswer?.(outcome, (performance.now() - fromMs) / 1_000);
      const call = this.#timeouts.begin((error) => {
        end("given_up");
        reject(error);
      });
      const answer = command.then(
        (received) => {
          if (this.#timeouts.end(call, true)) end("answered");
          return read(received);
        },
        (error: unknown) => {
          if (this.#timeouts.end(call, isReply(error))) end("failed");
          throw error;
        },
      );
      // An answer that cannot be parsed is a failure, too: nobody may wait for ever.
      answer.then(resolve, reject);
    });
  }

  /** An error reply is certain; silence or a lost connection may be over already, so a probe decides. */
  #handleFailure(subject: string, error: unknown): void {
    const server = this.parts.servers.of(subject);
    if (isReply(error)) this.#breakers.trip(server, error);
    else this.#breakers.suspect(server);
  }

  /** Probes with the script itself: a Redis that answers to PING may still be unable to count. */
  async #probe(server: string): Promise<void> {
    const { servers } = this.parts;
    const isAway = this.#breakers.isOpen(server);
    if (isAway) servers.refresh();
    try {
      if (isAway && !servers.isConnected()) throw new Error("there is no connection");
      await this.#run(servers.probeSubject(server), PROBE_POLICY, 0);
    } catch (error) {
      if (isAway && !isReply(error)) this.#replaceConnection(server);
      throw error;
    }
  }

  #replaceConnection(server: string): void {
    const nowMs = this.#scheduler.nowMs();
    if (nowMs - (this.#replacedAtMs.get(server) ?? nowMs) < REPLACE_CONNECTION_AFTER_MS) return;
    this.#replacedAtMs.set(server, nowMs);
    this.parts.servers.reconnect(server);
  }

  #handleChange(server: string, state: "away" | "back" | "replaced", failure: unknown): void {
    // The server that counts there now may have lost the counts, and knows best who is refused.
    this.#refusals.forget();
    const { servers, onServerChange } = this.parts;
    if (state === "away") {
      this.#replacedAtMs.set(server, this.#scheduler.nowMs());
      const error = this.#explain(server, failure);
      const { reason, remedy } = failureOf(error);
      onServerChange({ server, state, reason, remedy, error, isOneOfMany: servers.names().length > 1 });
    } else {
      this.#replacedAtMs.delete(server);
      onServerChange({ server, state: servers.isStandIn(server) ? "back" : state });
    }
  }

  #handleOtherServers(): void {
    const { servers, onServerChange } = this.parts;
    const [before, names] = [this.#known, servers.names()];
    this.#known = names;
    this.#breakers.retain(names);
    for (const server of before) if (!names.includes(server)) onServerChange({ server, state: "gone" });
    for (const server of names) if (!before.includes(server)) onServerChange({ server, state: "known" });
  }

  /** A command that fails for want of a connection does not say why; the connection's error does. */
  #explain(server: string, error: unknown): unknown {
    const cause = this.parts.servers.connectionError(server);
    return !isReply(error) && error instanceof Error && cause ? new Error(error.message, { cause }) : error;
  }
}
