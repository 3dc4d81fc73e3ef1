// Malicious requests. A proxy in front of the service must survive them, and other clients must not notice.

const request = (line: string, headers = "", body = ""): string =>
  `${line} HTTP/1.1\r\nHost: store.example\r\n${headers}\r\n${body}`;

const chunked = (body: string): string => request("POST /v1/pets", "Transfer-Encoding: chunked\r\n", body);

const chunks = (count: number, text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`.repeat(count);

export interface RefusedRequest {
  readonly bytes: string | Uint8Array;
  readonly status: number;
  readonly code: string;
}

const refused = (status: number, code: string, requests: Record<string, string | Uint8Array>) =>
  Object.fromEntries(Object.entries(requests).map(([name, bytes]) => [name, { bytes, status, code }]));

/** Requests that the nginx of deploy/ refuses by itself, with their responses. */
export const REFUSED_REQUESTS: Readonly<Record<string, RefusedRequest>> = {
  ...refused(405, "method_not_allowed", {
    "a method of nobody's": request("FOO /"),
    "a method of nobody's, under /v1": request("FOO /v1/pets"),
    "a method of nobody's, with a body": request("FOO /v1/pets", "Content-Length: 2\r\n", "{}"),
    "a method of WebDAV's": request("PROPFIND /v1/pets"),
    TRACE: request("TRACE /v1/pets"),
  }),
  ...refused(400, "invalid_request", {
    "a method in lower case": request("get /"),
    CONNECT: request("CONNECT store.example:443"),
    "OPTIONS of the server": request("OPTIONS *"),
    "two Host headers": request("GET /", "Host: other.example\r\n"),
    "no Host header": "GET / HTTP/1.1\r\n\r\n",
    "a Host header with a blank": "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "a path out of the root": request("GET /../../etc/passwd"),
    "a broken percent-encoding": request("GET /%zz"),
    "a zero byte in the path": request("GET /%00"),
    "a control character in the path": request("GET /\x01"),
    "a folded header": request("GET /", "X-Folded: a\r\n b\r\n"),
    "a blank before the colon": request("GET /", "X-Odd : a\r\n"),
    "a version that does not exist": "GET / HTTP/3.7\r\nHost: a\r\n\r\n",
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a TLS handshake": Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3),
    garbage: "\x00\x01\x02garbage\r\n\r\n",
    "a negative length": request("POST /v1/pets", "Content-Length: -1\r\n"),
    "a length with a sign": request("POST /v1/pets", "Content-Length: +1\r\n", "a"),
    "two lengths": request("POST /v1/pets", "Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
    "a length and chunks": request("POST /v1/pets", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    "a transfer encoding of nobody's": request("POST /v1/pets", "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
    "chunks in HTTP/1.0": "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk whose size is no number": chunked("zz\r\n"),
    "a chunk of negative size": chunked("-1\r\n\r\n"),
  }),
  ...refused(413, "payload_too_large", {
    "a length of 2 MB": request("POST /v1/pets", "Content-Length: 2000000\r\n"),
    "chunks of 2 MB": chunked(chunks(31, "x".repeat(65_536))),
  }),
  ...refused(414, "uri_too_long", { "a path of 8 KB": request(`GET /${"a".repeat(8000)}`) }),
  ...refused(431, "headers_too_large", {
    "a header of 8 KB": request("GET /", `X-Long: ${"a".repeat(8000)}\r\n`),
    "100 headers of 200 bytes": request("GET /", `X-Many: ${"a".repeat(190)}\r\n`.repeat(100)),
  }),
};

/** Requests that nginx forwards, and that an instance answers in one way or another. */
export const HOSTILE_REQUESTS: Readonly<Record<string, string>> = {
  "250 headers": request("GET /v1/pets", "X: a\r\n".repeat(250)),
  "a control character in a header": request("GET /v1/pets", "X-Odd: a\x01b\r\n"),
  "a Host that is none": 'GET /v1/pets HTTP/1.1\r\nHost: a"<>\r\n\r\n',
  "a chunk of one byte, 5,000 times": chunked(`${chunks(5000, "x")}0\r\n\r\n`),
  "a trailer": chunked(`${chunks(1, "{}")}0\r\nX-Trailer: 1\r\n\r\n`),
  "a body that nobody asked for": request("GET /healthz", "Content-Length: 2\r\n", "{}"),
  "a body of 900 KB": request("POST /v1/pets", "Content-Length: 900000\r\n", "x".repeat(900_000)),
  "a key of 4 KB": request("GET /v1/pets", `Authorization: Bearer ${"x".repeat(4000)}\r\n`),
  "an upgrade": request("GET /v1/pets", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"),
  "an expectation": request("POST /v1/pets", "Expect: 100-continue\r\nContent-Length: 2\r\n", "{}"),
  "bytes that are not UTF-8 in the path": request("GET /v1/\xff\xfe"),
  "a fragment": request("GET /v1/pets#fragment"),
  "an absolute URL": request("GET http://elsewhere.example/v1/pets"),
  "HTTP/1.0": "GET /healthz HTTP/1.0\r\n\r\n",
  "50 requests at once": request("GET /healthz").repeat(50),
};
