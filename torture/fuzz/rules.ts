import { assertDescribed } from "../../test/harness/checks/openapi.ts";
import { textOf, type WireAnswer } from "../wire/answers.ts";
import type { FuzzRequest } from "./requests.ts";

/** Heads that Bun's server sends before any of our code runs: without our headers, and without a body. */
const BARE_HEADS = new Set([
  "HTTP/1.1 400 Bad Request",
  "HTTP/1.1 413 Request Entity Too Large",
  "HTTP/1.1 431 Request Header Fields Too Large",
  "HTTP/1.1 505 HTTP Version Not Supported",
]);

export const PROMISED_HEADERS = [
  "Cache-Control",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

/** True if Bun's server sent the response by itself. */
export const isBare = ({ head }: WireAnswer): boolean => {
  const [statusLine = "", ...lines] = head.split("\r\n");
  return BARE_HEADS.has(statusLine) && lines.every((line) => /^connection: close$/i.test(line));
};

/** The mistake in a response, or undefined. Without the request, only general rules are checked. */
export function mistakeIn(answer: WireAnswer, request?: FuzzRequest): string | undefined {
  if (isBare(answer)) return request ? `Bun answered ${answer.status} by itself to a request that is right` : undefined;
  if (answer.status >= 500) return `the answer is ${answer.status}`;
  if (answer.headers.has("x-request-id")) return mistakeUnderV1(answer, request);
  if (/^\/v1\/(?:pets|store|categories|key)/.test(request?.path ?? ""))
    return "the headers of the interface are missing";
  if (answer.status === 404 && isPage(answer)) return undefined;
  return answer.status >= 400 ? mistakeInError(answer, request?.method) : undefined;
}

/** Browsers get an HTML page instead of JSON. */
const isPage = ({ headers }: WireAnswer): boolean => headers.get("content-type")?.startsWith("text/html") === true;

/** The form of our strong tags; a weak one would be useless for If-Match. */
const ENTITY_TAG = /^"[\w-]{22}"$/;
/** Headers that describe a body, which a response without one must not have. */
const BODY_HEADERS = ["content-type", "content-length", "transfer-encoding"];

function mistakeInHead({ status, headers, body }: WireAnswer): string | undefined {
  const missing = PROMISED_HEADERS.find((name) => !headers.has(name));
  if (missing) return `the header ${missing} is missing`;
  const tag = headers.get("etag");
  if (tag !== null && !ENTITY_TAG.test(tag)) return `the ETag is ${tag}`;
  if (tag !== null && status >= 400) return "an error has an ETag";
  if (status === 304 && tag === null) return "a 304 has no ETag";
  if (status !== 204 && status !== 304) return undefined;
  if (body !== "") return `a ${status} has a body`;
  const described = BODY_HEADERS.find((name) => headers.has(name));
  return described && `a ${status} has the header ${described}`;
}

/** Paths that are unambiguous to every parser, so that they tell which operation was called. */
const PLAIN_PATH = /^\/v1(\/(?:(?:pets|store\/orders|categories)(?:\/-?[0-9]+)?|key))$/;

function mistakeUnderV1(answer: WireAnswer, request: FuzzRequest | undefined): string | undefined {
  const mistake = mistakeInHead(answer);
  if (mistake) return mistake;
  const path = PLAIN_PATH.exec(request?.path ?? "")?.[1];
  if (request && path) {
    try {
      assertDescribed(request.method, path, answer.status, answer.headers, textOf(answer));
    } catch (error) {
      return (error as Error).message;
    }
  }
  return answer.status >= 400 ? mistakeInError(answer, request?.method) : undefined;
}

function mistakeInError(answer: WireAnswer, method: string | undefined): string | undefined {
  if (answer.headers.get("content-type") !== "application/json") return "an error is not JSON";
  if (method === "HEAD" || (method === undefined && answer.body === "")) return undefined;
  try {
    const { code, message, status, ...others } = JSON.parse(textOf(answer));
    const isError = typeof code === "string" && typeof message === "string" && status === answer.status;
    return isError && Object.keys(others).length === 0 ? undefined : "an error does not have the shape of Error";
  } catch {
    return "the body of an error is not JSON";
  }
}
