/** What a request came to, as far as its sender can know. */
export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly body: string; readonly headers: Headers }
  /** Nothing came back: it may have been carried out or not. */
  | { readonly kind: "silence" };

export interface Request {
  readonly method: "GET" | "POST" | "PATCH";
  readonly target: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** Sends requests to a service that may die at any moment. */
export class Client {
  constructor(
    readonly origin: string,
    readonly secret: string,
  ) {}

  async send({ method, target, body, idempotencyKey }: Request): Promise<Outcome> {
    try {
      const response = await fetch(`${this.origin}/v1${target}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.secret}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { body }),
      });
      return { kind: "answered", status: response.status, body: await response.text(), headers: response.headers };
    } catch {
      return { kind: "silence" };
    }
  }
}

/** Whether a failure says that nothing was changed; otherwise it may have been carried out. */
export const saysNothingChanged = (body: string): boolean => body.includes("nothing was changed");
