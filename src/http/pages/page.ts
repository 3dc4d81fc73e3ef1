import type { BunRequest } from "bun";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Log } from "../../telemetry/log.ts";
import { type Fault, INTERNAL_ERROR, methodNotAllowed } from "../faults.ts";
import { loggedPath } from "../request-id.ts";

/** A page outside of the interface: answers GET and HEAD, to anyone. */
export type PublicPage = () => Awaitable<Response>;

/** An error outside of the interface: the same shape, without the headers that only /v1 promises. */
export function publicError({ reply, headers }: Fault): Response {
  return new Response(reply.body, {
    status: reply.status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}

const ONLY_GET = methodNotAllowed("GET, HEAD");

export function pageHandler(log: Log, page: PublicPage): (request: BunRequest) => Promise<Response> {
  return async function handlePage(request) {
    if (request.method !== "GET" && request.method !== "HEAD") return publicError(ONLY_GET);
    try {
      return await page();
    } catch (error) {
      log.error({ err: error, path: loggedPath(request.url) }, "page failed");
      return publicError(INTERNAL_ERROR);
    }
  };
}

/** The last resort: a malfunction while a response was being made. */
export const answerFailed =
  (log: Log) =>
  (error: Error): Response => {
    log.error({ err: error }, "response failed");
    return publicError(INTERNAL_ERROR);
  };
