import type { TestProxy } from "../../test/harness/servers/proxy.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { readAnswers, textOf, type WireAnswer } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { requestBytes } from "../wire/target.ts";
import { Client, headersOf, type Outcome, type Request, saysNothingChanged } from "../workload/client.ts";

const DEADLINE_MS = 15_000;
const UNREPEATABLE = "writes that must not be repeated";
/** nginx takes these for repeatable, so deploy/ has it try them only once, even while an instance is down. */
const TRIED_ONCE = "PUT or DELETE without a key, and nothing was changed";
/** The name of their figure on the scoreboard. */
export const UNREPEATABLE_FAILED = `failed: ${UNREPEATABLE}`;

const SLOW = "503 while the database was slow";
/** A balancer closes connections until it has seen that instances are ready again. */
const NOTICED_WITHIN_MS = 1_000;

/** The failures that are acceptable at the moment. */
export interface Weather {
  /** The outcome of a write that an instance has received may be unknown. */
  isViolent: boolean;
  /** All instances may be down: then 503 is the right response to anything. */
  isAllAway: boolean;
  /** An instance may be down, although none is being stopped. */
  isOneAway: boolean;
}

/**
 * Sends requests over raw connections that it keeps open until the peer closes them, and judges every response: reads
 * and repeatable writes must not fail while one instance is up.
 */
export class KeepAliveClient extends Client {
  readonly #idle: Connection[] = [];

  constructor(
    private readonly board: Scoreboard,
    private readonly weather: Weather,
    private readonly database: Pick<TestProxy, "wasSlowSince">,
    origin: string,
    secret: string,
  ) {
    super(origin, secret);
  }

  override async send(request: Request): Promise<Outcome> {
    const what = `${request.method} ${request.target}`;
    const before = { ...this.weather };
    const beganMs = performance.now();
    const answer = await this.#exchange(request);
    this.board.count("requests");
    const mayAllBeAway = before.isAllAway || this.weather.isAllAway;
    // A busy machine is the database's excuse, and nobody restarts that.
    const isSlow = this.database.wasSlowSince(beganMs - NOTICED_WITHIN_MS);
    const tookMs = Math.round(performance.now() - beganMs);
    if (!answer) {
      this.board.count("resets");
      this.board.check(mayAllBeAway || isSlow, () => `${what} was sent over an open connection, and never answered`);
      return { kind: "silence" };
    }
    const { status, headers } = answer;
    const body = textOf(answer);
    if (status >= 500) {
      this.#judgeFailure(request, answer, body);
      const kind = kindOf(request, body);
      this.board.count(mayAllBeAway ? "503 while all were away" : isSlow ? SLOW : `failed: ${kind}`);
      const mayBeInDoubt = before.isViolent || this.weather.isViolent;
      const mayOneBeAway = mayBeInDoubt || before.isOneAway || this.weather.isOneAway;
      const mayFail =
        mayAllBeAway || isSlow || (kind === UNREPEATABLE && mayBeInDoubt) || (kind === TRIED_ONCE && mayOneBeAway);
      this.board.check(mayFail, () => `${what} was answered ${status} ${body}, after ${tookMs} ms`);
    }
    return { kind: "answered", status, body, headers };
  }

  close(): void {
    for (const connection of this.#idle) connection.cut();
  }

  async #exchange(request: Request): Promise<WireAnswer | undefined> {
    const connection = this.#takeIdle() ?? (await Connection.open(this.origin).catch(() => undefined));
    if (!connection) return undefined;
    connection.send(this.#bytesOf(request));
    const first = (): WireAnswer | undefined => readAnswers(connection.received, () => false).answers[0];
    await connection.until(() => first() !== undefined, DEADLINE_MS);
    const answer = first();
    connection.takeReceived();
    const isLast = answer?.headers.get("connection")?.toLowerCase() === "close";
    if (answer && !isLast) this.#idle.push(connection);
    else connection.cut();
    return answer;
  }

  #bytesOf(request: Request): Uint8Array {
    const { method, target, body } = request;
    return requestBytes(`${method} /v1${target}`, {
      secret: this.secret,
      headers: Object.entries(headersOf(request)).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Like every HTTP client, it checks that a connection is still open before reusing it. */
  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.shift(); connection; connection = this.#idle.shift())
      if (!connection.isClosed) return connection;
    return undefined;
  }

  /** Checks that an error has the usual shape, and everything that a client needs to retry. */
  #judgeFailure({ method }: Request, { status, headers }: WireAnswer, body: string): void {
    const { board } = this;
    const shape = /^\{"code":"service_unavailable","message":"[^"]+","status":503\}$/;
    board.check(status === 503 && shape.test(body), () => `a failure was answered with ${status} ${body}`);
    for (const [name, value] of Object.entries({
      "content-type": /^application\/json$/,
      "cache-control": /^no-store$/,
      "x-request-id": /^[\w.-]{1,64}$/,
      "retry-after": /^[1-9]\d*$/,
    }))
      board.check(value.test(headers.get(name) ?? ""), () => `a failure came with ${name}: ${headers.get(name)}`);
    if (method === "GET") board.check(saysNothingChanged(body), () => `a GET may have changed something: ${body}`);
  }
}

function kindOf({ method, idempotencyKey }: Request, body: string): string {
  if (method === "GET") return "GET";
  if (idempotencyKey !== undefined) return `${method} with an Idempotency-Key`;
  return (method === "PUT" || method === "DELETE") && saysNothingChanged(body) ? TRIED_ONCE : UNREPEATABLE;
}
