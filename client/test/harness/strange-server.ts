import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { atEnd } from "../../../test/harness/cleanup.ts";
import type { Strangeness } from "../everywhere/env.ts";

const EXPOSED = "Access-Control-Expose-Headers: *\r\n";
const CORS = `Access-Control-Allow-Origin: *\r\n${EXPOSED}`;
const PREFLIGHT = `HTTP/1.1 204 No Content\r\n${CORS}Access-Control-Allow-Headers: *, Authorization\r\nAccess-Control-Allow-Methods: *\r\nConnection: close\r\n\r\n`;

const head = (status: string, type: string, ...fields: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, `${CORS}Connection: close`, `Content-Type: ${type}`, ...fields, "\r\n"].join("\r\n");

const whole = (status: string, type: string, body: string, ...fields: readonly string[]): string =>
  head(status, type, `Content-Length: ${body.length}`, ...fields) + body;

const close = (socket: Socket, text = ""): void => void socket.end(text);
/** Resets the connection after the bytes have arrived. */
const reset = (socket: Socket, text: string): void =>
  void socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 5));
const JSON_TYPE = "application/json";

/** Sends the same text again as long as the peer reads. */
function pour(socket: Socket, text: string): void {
  const more = (): void => void (socket.writable && socket.write("x".repeat(65_536), () => setImmediate(more)));
  socket.write(text, more);
}

/** More than the client reads, in JSON of the kind that a list is, compressed to a few kilobytes. */
const BOMB = gzipSync(`[${" ".repeat(6_000_000)}]`);

/** Sends it with a length, and lets no page of another origin see that it is compressed. */
function explode(socket: Socket): void {
  const fields = head("200 OK", JSON_TYPE, "Content-Encoding: gzip", `Content-Length: ${BOMB.length}`);
  socket.write(fields.replace(EXPOSED, ""));
  socket.end(BOMB);
}

const BEHAVIOUR: Readonly<Record<Strangeness, (socket: Socket) => void>> = {
  closes: (socket) => close(socket),
  resets: (socket) => socket.resetAndDestroy(),
  "cuts headers": (socket) => close(socket, head("200 OK", JSON_TYPE, "Content-Length: 2").slice(0, -6)),
  "cuts a body of known length": (socket) => close(socket, whole("200 OK", JSON_TYPE, '{"id":1}').slice(0, -3)),
  "cuts a body in chunks": (socket) =>
    close(socket, `${head("200 OK", JSON_TYPE, "Transfer-Encoding: chunked")}6\r\n{"id":\r\n`),
  "resets in the body": (socket) => reset(socket, whole("200 OK", JSON_TYPE, '{"id":1}').slice(0, -3)),
  "sends half of its JSON": (socket) => close(socket, whole("200 OK", JSON_TYPE, '{"id":')),
  "speaks another protocol": (socket) => close(socket, "SSH-2.0-OpenSSH_9.6\r\n"),
  hangs: () => {},
  "hangs in the body": (socket) => void socket.write(whole("200 OK", JSON_TYPE, '{"id":1}').slice(0, -3)),
  redirects: (socket) =>
    close(socket, whole("308 Permanent Redirect", "text/plain", "", "Location: /elsewhere/v1/pets")),
  "is a website": (socket) => close(socket, whole("200 OK", "text/html", "<h1>It works!</h1>")),
  "is an empty website": (socket) => close(socket, whole("200 OK", "text/html", "")),
  "sends a page for ever": (socket) => pour(socket, head("200 OK", "text/html")),
  "sends a short body that expands": explode,
  "is another interface": (socket) => close(socket, whole("400 Bad Request", JSON_TYPE, '{"error":"bad"}')),
  "has a new code": (socket) =>
    close(socket, whole("418 I'm a teapot", JSON_TYPE, '{"code":"llama_is_tired","message":"Let it sleep."}')),
  "is starting": (socket) =>
    close(socket, whole("503 -", JSON_TYPE, '{"code":"service_unavailable","message":"Later."}', "Retry-After: 2")),
};

export interface StrangeServer {
  readonly origin: string;
  /** The number of open connections. */
  readonly connections: () => number;
}

/** Behaves as the first part of a path says, unlike a service: `/is%20a%20website/v1/pets`. */
export function startStrangeServer(): Promise<StrangeServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.once("data", (data: Buffer) => {
      const [, method, how = ""] = /^([A-Z]+) \/([^/]*)/.exec(data.toString("latin1")) ?? [];
      const behave = BEHAVIOUR[decodeURIComponent(how) as Strangeness];
      if (method === "OPTIONS") close(socket, PREFLIGHT);
      else if (behave) behave(socket);
      // The client tries TLS.
      else close(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
    });
  });
  atEnd(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      resolve({ origin: `http://127.0.0.1:${port}`, connections: () => open.size });
    }),
  );
}
