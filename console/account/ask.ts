import { SECOND_MS } from "../../src/base/time/clock.ts";

// Calls of the API with the key of whoever reads the page. Every failure is an AskFailure, whose message is a sentence.

export class AskFailure extends Error {
  constructor(
    /** 0 if there was no response that could be read. */
    readonly status: number,
    message: string,
    /** From when on it may be tried again, if the service has said so. */
    readonly againAtMs: number | undefined = undefined,
  ) {
    super(message);
    this.name = "AskFailure";
  }
}

const NO_ANSWER = "The service does not answer. Check your connection, and try again.";

interface AskOptions {
  readonly method?: "POST";
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** The key is in a header alone. Nothing is sent with it that the browser keeps, and nothing that comes is kept. */
export async function ask<Answer>(secret: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = "GET", body, idempotencyKey } = options;
  const response = await fetch(`v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
  }).catch(() => {
    throw new AskFailure(0, NO_ANSWER);
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer as Answer;
  throw new AskFailure(response.status, sentenceOf(answer), againAt(response));
}

/** A proxy may answer something else than the service. */
const sentenceOf = (answer: unknown): string => {
  const { message } = (answer ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : NO_ANSWER;
};

function againAt({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return status === 429 && seconds > 0 ? Date.now() + seconds * SECOND_MS : undefined;
}

export const failureOf = (error: unknown): AskFailure =>
  error instanceof AskFailure ? error : new AskFailure(0, error instanceof Error ? error.message : NO_ANSWER);
