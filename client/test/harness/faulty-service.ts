import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "../../../test/harness/cleanup.ts";
import type { FakeClock } from "../../../test/harness/time/clock.ts";
import type { Fault } from "../everywhere/env.ts";

const TARGET = /^\/([^/]+)\/([^/]*)(\/v1.*)$/;
/** Lets pages of any origin read responses that do not come from the service. */
const FOR_BROWSERS = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*" };

/**
 * Stands in front of a service, and breaks exchanges: under `/NAME/drop,503/v1`, the first request is dropped, the
 * second one is answered with 503, and all others reach the service. `POST /advance/1000` advances a clock.
 */
export async function startFaultyService(service: { readonly origin: string }, clock: FakeClock): Promise<string> {
  const requests = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { url = "", method } = request;
    const body = await bodyOf(request);
    if (url.startsWith("/advance/")) {
      clock.advance(Number(url.slice("/advance/".length)));
      return void response.writeHead(204, FOR_BROWSERS).end();
    }
    const [, name = "", faults = "", target = ""] = TARGET.exec(url) ?? [];
    const earlier = requests.get(name) ?? 0;
    const isCounted = method !== "OPTIONS";
    if (isCounted) requests.set(name, earlier + 1);
    const fault = isCounted ? (faults.split(",")[earlier] as Fault | undefined) : "pass";
    const forward = () => forwarded(`${service.origin}${target}`, request, body);
    await answer(fault || "pass", request, response, forward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Forwarded {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

async function answer(
  fault: Fault,
  { socket }: IncomingMessage,
  response: ServerResponse,
  forward: () => Promise<Forwarded>,
): Promise<void> {
  if (fault === "hang") return;
  if (fault === "drop") return void socket.destroy();
  if (fault === "html" || /^\d+$/.test(fault)) {
    const patience = fault === "429" ? { "Retry-After": "7" } : {};
    const headers = { ...FOR_BROWSERS, ...patience, "Content-Type": "text/html", Connection: "close" };
    return void response.writeHead(Number(fault) || 200, headers).end("<h1>Another server</h1>");
  }
  const { status, headers, body } = await forward();
  if (fault === "lose") return void socket.destroy();
  // Each request gets a new connection: when a reused one breaks, runtimes may repeat the request themselves.
  const length = status === 204 || status === 304 ? {} : { "Content-Length": String(body.length) };
  response.writeHead(status, { ...headers, ...length, Connection: "close" });
  if (fault !== "truncate") return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => socket.destroy());
}

async function forwarded(url: string, request: IncomingMessage, body: Buffer): Promise<Forwarded> {
  const headers = Object.entries(request.headers).filter(
    ([name]) => !/^(?:host|connection|accept-encoding)$/.test(name),
  );
  const response = await fetch(url, {
    method: request.method ?? "GET",
    headers: headers as [string, string][],
    ...(body.length > 0 ? { body } : {}),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
