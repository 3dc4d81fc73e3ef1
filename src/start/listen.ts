import type { Server } from "bun";
import { OperatorError } from "../domain/operator-error.ts";
import { STARTING } from "../http/faults.ts";
import { publicError } from "../http/pages/page.ts";
import type { Closers } from "./closers.ts";

const IDLE_TIMEOUT_SECONDS = 30;
/** A slow body is answered before a stop gives up, and a stop ends before a supervisor's usual 10 s. */
const STOP_TIMEOUT_MS = 6_000;
const DRAIN_CHECK_INTERVAL_MS = 20;

export interface Listener {
  readonly origin: string;
  /** Says what is answered from now on; until then, the answer is 503. */
  readonly serve: (handlers: Parameters<Server<undefined>["reload"]>[0]) => void;
}

/** The ports that a service listens on. */
export class Listeners {
  readonly #servers: Server<undefined>[] = [];

  constructor(private readonly opened: Closers) {}

  /** Fails with an OperatorError that names the setting. */
  listen(hostname: string, port: number, setting: string): Listener {
    const server = bind(hostname, port, setting);
    this.#servers.push(server);
    this.opened.add(() => server.stop(true));
    return {
      origin: originOf(hostname, server.port as number),
      serve: (handlers) => void server.reload(handlers),
    };
  }

  /** Requests in progress finish; a connection that has only begun to send one does not delay the stop. */
  async drain(): Promise<void> {
    await Promise.all(this.#servers.map(drain));
  }
}

function bind(hostname: string, port: number, setting: string): Server<undefined> {
  try {
    return Bun.serve({
      hostname,
      port,
      // Without this, `development: false` silently lets a second process share the port.
      reusePort: false,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Our own limit answers with an Error; Bun's would close the connection without one.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: () => publicError(STARTING),
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE")
      throw new OperatorError(`port ${port} on ${hostname} is in use: stop what uses it, or set ${setting}`);
    throw new OperatorError(
      `cannot listen on ${hostname}, port ${port}: ${message}. HOST must be an address of this machine, and ${setting} a port that you may use`,
    );
  }
}

/** An address that a client on this machine can use, even when all addresses are listened on. */
function originOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

async function drain(server: Server<undefined>): Promise<void> {
  const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
  const stopped = server.stop();
  while (server.pendingRequests > 0 && performance.now() < deadlineMs)
    await Promise.race([stopped, Bun.sleep(DRAIN_CHECK_INTERVAL_MS)]);
  await server.stop(true);
}
