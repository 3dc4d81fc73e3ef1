import { EXPOSED_HEADERS } from "../../../src/http/cors/cors.ts";
import { assertDescribed } from "../checks/openapi.ts";

/** Two origins that are allowed, and one that is not. */
export const APP = "https://app.example.com";
export const DESK = "http://localhost:3000";
export const STRANGER = "https://stranger.example";
export const CORS_ORIGINS = `${APP}, ${DESK}`;

export interface Asked {
  readonly origin?: string | undefined;
  readonly secret?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request under /v1 like a browser, and checks the response against the OpenAPI document, except for CORS. */
export async function ask(service: { origin: string }, line: string, asked: Asked = {}): Promise<Answer> {
  const { origin, secret, headers = {}, body } = asked;
  const [method = "", target = ""] = line.split(" ");
  const response = await fetch(`${service.origin}/v1${target}`, {
    method,
    headers: {
      ...(origin === undefined ? {} : { Origin: origin }),
      ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // The document does not list OPTIONS.
  if (method !== "OPTIONS" || response.status >= 400)
    assertDescribed(method, target.split("?", 1)[0] as string, response.status, ourHeaders(response), text);
  return { status: response.status, headers: response.headers, text };
}

/** Sends the preflight that precedes a cross-origin request with a key. */
export const preflight = (service: { origin: string }, target: string, method: string, asked: Asked = {}) =>
  ask(service, `OPTIONS ${target}`, {
    origin: APP,
    ...asked,
    headers: {
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "authorization,x-any",
      ...asked.headers,
    },
  });

/** Repeats a request until the response has a code. */
export async function until(code: string, send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.text.includes(`"${code}"`)) return answer;
  }
}

const isForBrowsers = (name: string): boolean => name.startsWith("access-control-") || name === "vary";

export const ourHeaders = ({ headers }: { headers: Headers }): Headers =>
  new Headers([...headers].filter(([name]) => !isForBrowsers(name)));

export const corsOf = ({ headers }: { headers: Headers }): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => isForBrowsers(name)));

/** The headers that let scripts of an origin read a response. */
export const readableBy = (origin: string): Record<string, string> => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": EXPOSED_HEADERS.join(", "),
  ...(origin === "*" ? {} : UNREADABLE),
});

/** The headers of a response for all other origins. */
export const UNREADABLE: Record<string, string> = { vary: "Origin" };
