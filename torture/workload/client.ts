/** The outcome of a request, as far as its sender can know. */
export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly body: string; readonly headers: Headers }
  /** No response arrived: the request may or may not have been carried out. */
  | { readonly kind: "silence" };

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly target: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
}

/** The headers that differ from request to request. */
export const headersOf = ({ idempotencyKey, ifMatch }: Request): Record<string, string> => ({
  ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
  ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
});

/** Sends requests to a service that may die at any moment. */
export class Client {
  constructor(
    readonly origin: string,
    readonly secret: string,
  ) {}

  async send(request: Request): Promise<Outcome> {
    const { method, target, body } = request;
    try {
      const response = await fetch(`${this.origin}/v1${target}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.secret}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headersOf(request),
        },
        ...(body === undefined ? {} : { body }),
      });
      return { kind: "answered", status: response.status, body: await response.text(), headers: response.headers };
    } catch {
      return { kind: "silence" };
    }
  }
}

const MAX_TRIES = 100;
const RETRY_PAUSE_MS = 50;

/** Sends a request that may be repeated as a client does: a busy machine may answer 503, but not every time. */
export async function sendPatiently(client: Client, request: Request, onSent?: () => void): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await client.send(request);
    onSent?.();
    if (outcome.kind === "silence" || outcome.status !== 503 || tries === MAX_TRIES) return outcome;
    await Bun.sleep(RETRY_PAUSE_MS);
  }
}

export type Answered = Extract<Outcome, { kind: "answered" }>;

/** True if an error says that nothing was changed. Otherwise the request may have been carried out. */
export const saysNothingChanged = (body: string): boolean => body.includes("nothing was changed");
