import { describe, expect, test } from "bun:test";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService } from "../harness/service/service.ts";

// Responses that Bun gives by itself before any of our code runs, without a body or our headers. The table in
// docs/operations.md lists them. If a test fails here after an update of Bun, the table must change.

const service = await startService();

const bare = (status: string): string => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
const BAD_REQUEST = bare("400 Bad Request");
const TOO_LARGE = bare("413 Request Entity Too Large");
const HEADERS_TOO_LARGE = bare("431 Request Header Fields Too Large");
const BAD_VERSION = bare("505 HTTP Version Not Supported");
const SILENCE = "";

/** Everything received until the connection is closed. */
async function answerTo(...sent: (string | Uint8Array)[]): Promise<string> {
  const connection = await RawConnection.open(service.origin);
  for (const bytes of sent) connection.send(bytes);
  try {
    return await connection.until(() => false);
  } finally {
    connection.destroy();
  }
}

const HOST = "Host: test\r\n";
const get = (headers: string): string => `GET /healthz HTTP/1.1\r\n${HOST}${headers}\r\n`;
const post = (...headers: string[]): string =>
  `POST /v1/pets HTTP/1.1\r\n${HOST}Authorization: Bearer ${service.boundless}\r\nContent-Type: application/json\r\n${headers.join("\r\n")}\r\n\r\n`;
const REX = '{"name":"Rex","categoryId":7}';
const CHUNKED = "Transfer-Encoding: chunked";
const LENGTH = `Content-Length: ${REX.length}`;
const REX_CHUNK = `${REX.length.toString(16)}\r\n${REX}\r\n`;

const CASES: Record<string, readonly [answer: string, ...sent: (string | Uint8Array)[]]> = {
  "an unknown method": [SILENCE, `FOO / HTTP/1.1\r\n${HOST}\r\n`],
  "a method in lower case": [SILENCE, `get / HTTP/1.1\r\n${HOST}\r\n`],
  "two requests at once, the first of which is not answered at once": [SILENCE, post(LENGTH), REX, get("")],

  "HTTP/1.2": [BAD_VERSION, `GET / HTTP/1.2\r\n${HOST}\r\n`],
  "HTTP/2.0": [BAD_VERSION, `GET / HTTP/2.0\r\n${HOST}\r\n`],
  "HTTP/0.9": [BAD_VERSION, "GET /\r\n"],
  "lines that end in LF": [BAD_VERSION, "GET / HTTP/1.1\nHost: test\n\n"],
  "a space in the target": [BAD_VERSION, `GET /a b HTTP/1.1\r\n${HOST}\r\n`],

  "the preface of HTTP/2": [BAD_REQUEST, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  "TLS on the port of HTTP": [BAD_REQUEST, Buffer.from(`16030100c8010000c40303${"00".repeat(190)}0d0a0d0a`, "hex")],
  "bytes that are no HTTP": [BAD_REQUEST, Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))],
  "text that is no HTTP": [BAD_REQUEST, "hello there\r\n\r\n"],
  "a blank line before a request": [BAD_REQUEST, `\r\n${get("")}`],
  "two spaces after the method": [BAD_REQUEST, `GET  / HTTP/1.1\r\n${HOST}\r\n`],
  "a target that is no path": [BAD_REQUEST, `GET abc HTTP/1.1\r\n${HOST}\r\n`],
  "OPTIONS *": [BAD_REQUEST, `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],

  "no Host header": [BAD_REQUEST, "GET / HTTP/1.1\r\n\r\n"],
  "a control character in a header": [BAD_REQUEST, get("X-A: a\u0001b\r\n")],
  "a NUL in a header": [BAD_REQUEST, get("X-A: a\0b\r\n")],
  "a space before the colon of a header": [BAD_REQUEST, get("X-A : a\r\n")],
  "a header without a name": [BAD_REQUEST, get(": a\r\n")],
  "a bad character in the name of a header": [BAD_REQUEST, get("X(A): a\r\n")],
  "a header that is continued on the next line": [BAD_REQUEST, get("X-A: a\r\n b\r\n")],

  "more than 16 KiB of headers": [HEADERS_TOO_LARGE, get(`X-A: ${"a".repeat(16_384)}\r\n`)],
  "a target of more than 16 KiB": [HEADERS_TOO_LARGE, `GET /${"a".repeat(16_384)} HTTP/1.1\r\n${HOST}\r\n`],
  "more than 200 headers": [HEADERS_TOO_LARGE, get("X-A: a\r\n".repeat(201))],

  "a length and chunks": [BAD_REQUEST, post(LENGTH, CHUNKED)],
  "two lengths": [BAD_REQUEST, post(LENGTH, "Content-Length: 5")],
  "a negative length": [BAD_REQUEST, post("Content-Length: -5")],
  "a length with a sign": [BAD_REQUEST, post("Content-Length: +5")],
  "a length that is no number": [BAD_REQUEST, post("Content-Length: five")],
  "a length beyond an int64": [BAD_REQUEST, post("Content-Length: 99999999999999999999")],
  "a length of more than 32 MiB": [TOO_LARGE, post("Content-Length: 33554433")],
  "an encoding other than chunks": [BAD_REQUEST, post("Transfer-Encoding: gzip")],
  "an encoding besides chunks": [BAD_REQUEST, post("Transfer-Encoding: gzip, chunked")],
  "chunks by HTTP/1.0": [BAD_REQUEST, post(CHUNKED).replace("HTTP/1.1", "HTTP/1.0")],
  "a chunk without a size": [BAD_REQUEST, `${post(CHUNKED)}zz\r\n`],
  "a chunk that is longer than its size": [BAD_REQUEST, `${post(CHUNKED)}5\r\nhello!!\r\n`],
  "a trailer": [BAD_REQUEST, `${post(CHUNKED)}${REX_CHUNK}0\r\nX-Checksum: 1\r\n\r\n`],
  "a blank line after a body": [BAD_REQUEST, `${post(LENGTH)}${REX}\r\n`],
  "something after a body that is no request": [BAD_REQUEST, `${post(LENGTH)}${REX}garbage\r\n\r\n`],
};

describe("Bun answers by itself", () => {
  for (const [name, [answer, ...sent]] of Object.entries(CASES))
    test(name, async () => {
      expect(await answerTo(...sent)).toBe(answer);
    });
});

describe("we answer, with an Error or a page,", () => {
  const CLOSE = "Connection: close\r\n";
  const cases: Record<string, readonly [status: number, sent: string]> = {
    "a method that HTTP knows and no path supports": [405, `PROPFIND /docs HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
    TRACE: [405, `TRACE /healthz HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
    "an absolute target": [200, `GET http://test/healthz HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
    "HTTP/1.0, and close the connection": [200, "GET /healthz HTTP/1.0\r\n\r\n"],
    "the same length twice": [413, post("Content-Length: 20000", "Content-Length: 20000", "Connection: close")],
    "an upgrade to WebSocket or HTTP/2, as if none was asked for": [
      200,
      get("Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
    ],
    "extensions of chunks, which have no meaning": [
      201,
      `${post(CHUNKED, "Connection: close")}${REX.length.toString(16)};a=b\r\n${REX}\r\n0;c\r\n\r\n`,
    ],
    "16 KiB of headers or less": [200, get(`${CLOSE}X-A: ${"a".repeat(15_000)}\r\n`)],
    "198 headers": [200, get(CLOSE + "X-A: a\r\n".repeat(196))],
  };

  for (const [name, [status, sent]] of Object.entries(cases))
    test(name, async () => {
      const answer = await answerTo(sent);
      expect(answer).toStartWith(`HTTP/1.1 ${status} `);
      expect(answer).toMatch(/^content-type: /im);
      expect(answer).not.toEndWith("\r\n\r\n");
    });
});
