import { BODY_MAX_BYTES } from "../../src/http/request/body.ts";
import type { Random } from "../common/random.ts";
import { bodyBytes } from "./bodies.ts";
import { CHUNK_SIZES, KNOWN_METHODS, ODD_HEADER_LINES, ODD_METHODS, OTHER_TARGETS, VERSIONS } from "./http-parts.ts";
import {
  animalId,
  below,
  CURSORS,
  ENCODINGS,
  FUZZ_SECRET,
  INTEGERS,
  PARAMETER_NAMES,
  PREFIXES,
  SEGMENTS,
  SORTS,
  STATUSES,
  TAGS,
} from "./values.ts";

/** A request by grammar. */
export interface FuzzRequest {
  readonly bytes: Uint8Array;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Bun closes a connection on which another request arrives before this one is answered (docs/decisions.md). */
  readonly isAnsweredLater: boolean;
  /** The service may refuse it and close before it has arrived; TCP's reset can then overtake the answer. */
  readonly mayBeCutShort: boolean;
}

/** A path that ends in a slash takes an id. */
const CALLS = [
  ["GET", "/v1/pets"],
  ["GET", "/v1/pets"],
  ["GET", "/v1/pets/"],
  ["HEAD", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["PATCH", "/v1/pets/"],
  ["PATCH", "/v1/pets/"],
  ["DELETE", "/v1/pets/"],
  ["GET", "/v1/store/orders"],
  ["GET", "/v1/store/orders/"],
  ["POST", "/v1/store/orders"],
  ["PATCH", "/v1/store/orders/"],
  ["GET", "/v1/categories"],
  ["GET", "/v1/categories/"],
  ["PUT", "/v1/categories/"],
  ["DELETE", "/v1/categories/"],
  ["GET", "/v1/key"],
] as const;

const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Hostile in its values, and right as HTTP: the service has to answer it itself. */
export function soundRequest(random: Random): FuzzRequest {
  const { method, path, query } = startOf(random);
  const lines = [`${method} ${path}${query} HTTP/1.1`, "Host: fuzz.example", ...soundHeaders(random)];
  const body = WITH_BODY.includes(method) || random.chance(0.03) ? bodyBytes(random, path) : undefined;
  const isRead = method === "GET" || method === "HEAD";
  const isAnsweredLater = body !== undefined || !isRead || !path.startsWith("/v1") || path.startsWith("/v1/key");
  const bytes = concatenate(random, lines, body);
  const mayBeCutShort = body !== undefined && (bytes.length > BODY_MAX_BYTES || isChunked(bytes));
  return { bytes, method, path, isAnsweredLater, mayBeCutShort };
}

/** Wrong as HTTP in one or two places. */
export function oddRequest(random: Random): FuzzRequest {
  const { method, path, query } = startOf(random);
  const parts = { method, target: path + query, version: "HTTP/1.1", host: ["Host: fuzz.example"], end: "\r\n" };
  const lines = soundHeaders(random);
  let body = random.chance(0.6) ? bodyBytes(random, path) : undefined;
  let oddChunk: string | undefined;
  for (let times = 1 + below(random, 2); times > 0; times--) {
    const place = below(random, 9);
    if (place === 0) parts.method = random.pick(ODD_METHODS);
    else if (place === 1)
      parts.target = random.pick([
        "*",
        "",
        "a",
        "http://other.example/v1/pets",
        "//v1/pets",
        `/v1/pets?${"\u00ff".repeat(9)}`,
        `/v1/${"a".repeat(20_000)}`,
        "/v1/pets#x",
        "/v1/pe ts",
        "/v1/pets\u0000",
      ]);
    else if (place === 2) parts.version = random.pick(VERSIONS);
    else if (place === 3) parts.host = [];
    else if (place === 4) parts.end = random.pick(["\n", "\r", "\r\n\r\n", "\r\n "]);
    else if (place === 5 && body) oddChunk = random.pick(CHUNK_SIZES);
    else lines.splice(below(random, lines.length + 1), 0, random.pick(ODD_HEADER_LINES));
  }
  const head = [`${parts.method} ${parts.target} ${parts.version}`, ...parts.host, ...lines];
  if (oddChunk !== undefined) {
    head.push("Transfer-Encoding: chunked");
    body = Buffer.concat([
      Buffer.from(`${oddChunk}\r\n`),
      (body as Uint8Array).subarray(0, 2),
      Buffer.from("\r\n0\r\nX-Last: 1\r\n\r\n"),
    ]);
  } else if (body) head.push(`Content-Length: ${random.chance(0.8) ? body.length : below(random, 100)}`);
  const bytes = Buffer.concat([
    Buffer.from(head.join(parts.end) + parts.end + parts.end, "latin1"),
    body ?? new Uint8Array(),
  ]);
  return { bytes, method, path, isAnsweredLater: true, mayBeCutShort: false };
}

/** Announces more than it sends. */
export function stalledRequest(random: Random): FuzzRequest {
  const path = "/v1/pets";
  const body = Buffer.from('{"name":"Rex"').subarray(0, below(random, 14));
  const isChunked = random.chance(0.5);
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length + 1 + below(random, 100)}`;
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: fuzz.example",
    AUTHORIZATION,
    "Content-Type: application/json",
    framing,
  ];
  const bytes = Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n${isChunked ? "20\r\n" : ""}`), body]);
  return { bytes, method: "POST", path, isAnsweredLater: true, mayBeCutShort: false };
}

const AUTHORIZATION = `Authorization: Bearer ${FUZZ_SECRET}`;

function startOf(random: Random): { method: string; path: string; query: string } {
  const [itsMethod, start] = random.pick(CALLS);
  const method = random.chance(0.1) ? random.pick(KNOWN_METHODS) : itsMethod;
  if (random.chance(0.1)) return { method, path: random.pick(OTHER_TARGETS), query: "" };
  const path = start.endsWith("/") ? start + segment(random, start) : start;
  const query = random.chance(method === "GET" ? 0.5 : 0.03) ? `?${queryOf(random)}` : "";
  return { method, path, query };
}

const segment = (random: Random, start: string): string =>
  random.chance(0.5)
    ? String(start === "/v1/pets/" ? animalId(random) : 1 + below(random, 500))
    : encodeURIComponent(random.pick(INTEGERS)).slice(0, 500) + (random.chance(0.2) ? random.pick(SEGMENTS) : "");

function queryOf(random: Random): string {
  const isLong = random.chance(0.05);
  const count = isLong ? below(random, 300) : 1 + below(random, 4);
  return Array.from({ length: count }, () => {
    const name = random.pick(PARAMETER_NAMES);
    return `${name}=${!isLong && random.chance(0.6) ? fittingValue(random, name) : queryValue(random)}`;
  }).join("&");
}

/** One that the parameter could have. */
function fittingValue(random: Random, name: string): string {
  if (name === "sort") return random.pick(SORTS);
  if (name === "cursor") return random.pick(CURSORS);
  if (name === "name" || name === "reference") return encodeURIComponent(random.pick(PREFIXES)).slice(0, 2_000);
  if (name === "status") return random.pick(STATUSES);
  if (name === "id" || name === "petId") return String(animalId(random));
  return String(below(random, 120));
}

function queryValue(random: Random): string {
  const kind = below(random, 4);
  if (kind === 0) return encodeURIComponent(random.pick(INTEGERS)).slice(0, 500);
  if (kind === 1) return random.pick(STATUSES);
  if (kind === 2) return Array.from({ length: 1 + below(random, 6) }, () => random.pick(ENCODINGS)).join("");
  return String(below(random, 120));
}

/** Any order, any value that HTTP allows. */
function soundHeaders(random: Random): string[] {
  const lines: string[] = [];
  const maybe = (chance: number, line: () => string) => random.chance(chance) && lines.push(line());
  if (random.chance(0.85)) lines.push(AUTHORIZATION);
  else
    maybe(
      0.7,
      () =>
        `Authorization: ${random.pick(["Bearer", "Bearer x", `Bearer  ${FUZZ_SECRET}`, `bearer ${FUZZ_SECRET}x`, "Basic YTpi", FUZZ_SECRET, `Bearer ${"x".repeat(3_000)}`])}`,
    );
  if (random.chance(0.85)) lines.push("Content-Type: application/json");
  else
    maybe(
      0.7,
      () =>
        `Content-Type: ${random.pick(["text/plain", "application/json; charset=utf-16", "APPLICATION/JSON;charset=UTF-8", "application/json;;", ",", "multipart/form-data; boundary=x"])}`,
    );
  maybe(
    0.2,
    () =>
      `Idempotency-Key: ${random.pick([`k${below(random, 40)}`, `"k${below(random, 40)}"`, "", '"', "a,b", "\\", "x".repeat(255), "x".repeat(256)])}`,
  );
  maybe(
    0.1,
    () => `X-Request-Id: ${random.pick(["r1", FUZZ_SECRET, FUZZ_SECRET.slice(4), "x".repeat(65), "../..", "{}", ""])}`,
  );
  maybe(
    0.1,
    () => `X-Forwarded-For: ${random.pick(["1.2.3.4", "::1", "1.2.3.4, 5.6.7.8", "unknown", ",,,", "999.1.1.1"])}`,
  );
  maybe(0.1, () => `Accept: ${random.pick(["*/*", "text/html", "application/xml", "application/json;q=0"])}`);
  maybe(0.1, () => `Accept-Encoding: ${random.pick(["gzip", "br", "identity;q=0", "*", "zstd, gzip;q=0.5"])}`);
  maybe(0.15, () => `If-None-Match: ${random.pick(TAGS)}`);
  maybe(0.25, () => `If-Match: ${random.pick(TAGS)}`);
  maybe(0.05, () => `Range: ${random.pick(["bytes=0-0", "bytes=-1", "bytes=9-1", "bytes=0-0,1-1"])}`);
  maybe(0.05, () => `Cookie: ${"a=b; ".repeat(1 + below(random, 200))}`);
  maybe(0.03, () => "Expect: 100-continue");
  maybe(0.03, () => `X-Long: ${"a".repeat(below(random, 4_000))}`);
  return lines;
}

const isChunked = (bytes: Uint8Array): boolean => Buffer.from(bytes).includes("Transfer-Encoding: chunked");

/** With its body, if there is one, either by its length or in chunks. */
function concatenate(random: Random, lines: string[], body: Uint8Array | undefined): Uint8Array {
  if (!body) return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const inChunks = random.chance(0.3);
  lines.push(inChunks ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`);
  return Buffer.concat([
    Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
    inChunks ? chunked(random, body) : body,
  ]);
}

function chunked(random: Random, body: Uint8Array): Uint8Array {
  const largest = random.pick([1, 7, 100, 5_000, 70_000]);
  const parts: Uint8Array[] = [];
  for (let from = 0; from < body.length; ) {
    const size = Math.min(body.length - from, 1 + below(random, Math.max(largest, body.length >> 8)));
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(from, from + size), Buffer.from("\r\n"));
    from += size;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
