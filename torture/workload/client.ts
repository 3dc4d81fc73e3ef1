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

export type Answered = Extract<Outcome, { kind: "answered" }>;

/** True if an error says that nothing was changed. Otherwise the request may have been carried out. */
export const saysNothingChanged = (body: string): boolean => body.includes("nothing was changed");
