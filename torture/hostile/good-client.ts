// A well-behaved client in its own process. Usage: bun torture/hostile/good-client.ts '<task as JSON>'

import { readAnswers } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { percentile } from "../wire/readings.ts";
import { requestBytes } from "../wire/target.ts";

export interface GoodTask {
  readonly origin: string;
  readonly secret: string;
  readonly seconds: number;
  /** Slower responses count as missing. */
  readonly deadlineMs: number;
}

/** The client's experience, times in ms. */
export interface GoodDay {
  readonly requests: number;
  readonly unanswered: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const INTERVAL_MS = 5;
/** One of this many requests uses a new connection. */
const NEW_CONNECTION_EVERY = 5;

class GoodClient {
  readonly #request: Uint8Array;
  #kept: Connection | undefined;

  constructor(private readonly task: GoodTask) {
    this.#request = requestBytes("GET /v1/pets?limit=10", { secret: task.secret });
  }

  /** Returns true if answered. Like every HTTP client, it retries if a kept connection turns out to be closed. */
  async ask(isNew: boolean): Promise<boolean> {
    const isKept = !isNew && this.#kept?.isClosed === false;
    const answer = await this.#askOver(isKept ? (this.#kept as Connection) : undefined, isNew);
    return answer === "closed" && isKept
      ? (await this.#askOver(undefined, true)) === "answered"
      : answer === "answered";
  }

  async #askOver(kept: Connection | undefined, isNew: boolean): Promise<"answered" | "closed" | "late"> {
    const connection = kept ?? (await Connection.open(this.task.origin).catch(() => undefined));
    if (!connection) return "closed";
    connection.send(this.#request);
    const first = () => readAnswers(connection.received, () => false).answers[0];
    const isInTime = await connection.until(() => first() !== undefined, this.task.deadlineMs);
    const status = first()?.status;
    connection.takeReceived();
    if (isNew) connection.cut();
    else this.#kept = connection;
    if (!isInTime) return "late";
    return status === 200 ? "answered" : "closed";
  }

  /**
   * Sends a request every few milliseconds. A late response delays the requests behind it: they count too, with the
   * time that each would have waited (no coordinated omission).
   */
  async work(): Promise<GoodDay> {
    const times: number[] = [];
    let unanswered = 0;
    const endsAtMs = performance.now() + this.task.seconds * 1000;
    for (let number = 0; performance.now() < endsAtMs; number++) {
      const fromMs = performance.now();
      if (!(await this.ask(number % NEW_CONNECTION_EVERY === 0))) unanswered++;
      const tookMs = performance.now() - fromMs;
      for (let waitedMs = tookMs; waitedMs >= 0; waitedMs -= INTERVAL_MS) times.push(waitedMs);
      if (tookMs < INTERVAL_MS) await Bun.sleep(INTERVAL_MS - tookMs);
    }
    return {
      requests: times.length,
      unanswered,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: Math.max(0, ...times),
    };
  }
}

process.stdout.write(JSON.stringify(await new GoodClient(JSON.parse(process.argv[2] as string)).work()));
process.exit(0);
