import { assertDescribed } from "../checks/openapi.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely
  readonly json: any;
}

/** Sends a request under /v1 and checks the answer against the OpenAPI document. */
export async function send(base: string, method: string, target: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(base + target, { method, redirect: "manual", ...init });
  const text = await response.text();
  assertDescribed(method, target.split("?", 1)[0] as string, response.status, response.headers, text);
  return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : JSON.parse(text) };
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** A secret, or null to send none; by default that of a key with quotas that are never reached. */
  readonly secret?: string | null;
}

/** Calls the API at an address: `call("GET /pets?limit=1")`. */
export const callsTo =
  (base: string, boundless: string, always: Record<string, string> = {}) =>
  (line: string, { body, headers = {}, secret = boundless }: CallOptions = {}): Promise<Answer> => {
    const [method = "", target = ""] = line.split(" ");
    const hasBody = body !== undefined;
    return send(base, method, target, {
      headers: {
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...(hasBody ? { "Content-Type": "application/json" } : {}),
        ...always,
        ...headers,
      },
      ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
    });
  };
