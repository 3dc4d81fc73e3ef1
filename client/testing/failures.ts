import type { Fault } from "../../src/http/faults/fault.ts";
import { BODY_TOO_SLOW, INTERNAL_ERROR, UNAVAILABLE } from "../../src/http/faults/faults.ts";
import type { TestFailure } from "../src/testing.ts";
import type { SentRequest, ServiceAnswer } from "./service.ts";

/** The statuses that the service itself answers with when something goes wrong on its side, or on the way there. */
const OWN: Readonly<Record<number, Fault>> = { 408: BODY_TOO_SLOW, 500: INTERNAL_ERROR, 503: UNAVAILABLE };

/** The failures that the next requests will meet. */
export class Failures {
  readonly #next: TestFailure[] = [];

  add(failures: readonly TestFailure[]): void {
    for (const failure of failures) if (!isFailure(failure)) throw new TypeError(`${String(failure)} is no failure.`);
    this.#next.push(...failures);
  }

  /** Answers a request, unless something is to go wrong with it. */
  async apply(sent: SentRequest, answer: ServiceAnswer): Promise<Response> {
    const failure = this.#next.shift() ?? "pass";
    if (failure instanceof Response) return failure;
    if (typeof failure === "number") return OWN[failure] ? answer(sent, OWN[failure]) : page(failure);
    if (failure === "drop") throw brokenConnection();
    if (failure === "hang") return new Promise(() => {});
    const response = await answer(sent);
    if (failure === "lose") throw brokenConnection();
    return failure === "truncate" ? cut(response) : response;
  }
}

const KINDS: readonly unknown[] = ["drop", "lose", "truncate", "hang", "pass"];

const isFailure = (value: unknown): boolean =>
  KINDS.includes(value) ||
  value instanceof Response ||
  (Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599);

/** The same error as that of a real fetch, whose cause has the reason. */
const brokenConnection = (): TypeError =>
  new TypeError("fetch failed", { cause: new Error("the test has broken the connection") });

const page = (status: number): Response =>
  new Response("<h1>Not the service</h1>", { status, headers: { "Content-Type": "text/html" } });

/** Half of a body, after which the connection breaks. An answer without a body is lost. */
async function cut(response: Response): Promise<Response> {
  const text = await response.text();
  if (text === "") throw brokenConnection();
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) return controller.error(brokenConnection());
      isSent = true;
      controller.enqueue(half);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
