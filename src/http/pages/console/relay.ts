import type { Server } from "bun";
import type { TrustedProxies } from "../../../access/address.ts";
import type { FailureLog } from "../../../telemetry/log.ts";
import { constant } from "../../faults/fault.ts";
import { callerAddress } from "../../pipeline/caller-address.ts";
import type { Handler } from "../../pipeline/handler.ts";
import { requestIdOf } from "../../pipeline/request-id.ts";
import { placeOf } from "../../pipeline/request-log.ts";
import { endConnection } from "../../reply/header-template.ts";
import type { Addresses } from "../../request/addresses.ts";
import { publicError } from "../page.ts";

// The console runs in a thread of its own, behind a Unix socket that other users cannot connect to, with a password
// that only this process knows. It is loaded on first use, and nothing that it does blocks a thread that answers the API.

/** The socket that the console's thread listens on. */
export interface ConsoleEndpoint {
  readonly socket: string;
  /** Other processes of this user can connect to the socket. */
  readonly password: string;
}

/** The caller, as far as the connection tells. */
export interface Caller {
  /** The address that a request is counted for. */
  readonly address: string;
  /** Scheme, host and port that the browser requested; undefined without a valid host. */
  readonly origin: string | undefined;
  readonly requestId: string;
}

interface RelayParts {
  /** Starts the console's thread, unless it is running. */
  readonly openConsole: () => Promise<ConsoleEndpoint>;
  readonly trustedProxies: TrustedProxies;
  /** The addresses that requests name, whatever PUBLIC_URL is. */
  readonly askedAddresses: Addresses;
  readonly failures: FailureLog;
}

/** Carries the password and the caller; replaced if a client sends it. */
const RELAYED = "x-animal-store-relayed";
/** Headers of one connection, which are not relayed. `fetch` sets the length of a body itself. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "expect"];

const AWAY = constant(
  "service_unavailable",
  "The console does not answer and is being restarted. Try again in a moment.",
  { "Retry-After": "1" },
);

/** Relays a request to the console's thread, and its response back. */
export const consoleRelay =
  (parts: RelayParts): Handler =>
  async (request, server) => {
    const caller = callerOf(request, server, parts);
    try {
      const response = await pass(request, await parts.openConsole(), caller);
      // A refused body may still be arriving.
      return request.body && response.status >= 400 ? endConnection(response) : response;
    } catch (error) {
      const { requestId } = caller;
      if (!request.signal.aborted)
        parts.failures.report("the console does not answer", error, { requestId, ...placeOf(request) });
      return endConnection(publicError(AWAY));
    }
  };

export function callerOf(
  request: Request,
  server: Server<undefined>,
  { trustedProxies, askedAddresses }: Pick<RelayParts, "trustedProxies" | "askedAddresses">,
): Caller {
  const { publicUrl } = askedAddresses.urlsFor(request, server);
  const origin = publicUrl.startsWith("/") ? undefined : publicUrl.slice(0, -"/v1".length);
  return { address: callerAddress(request, server, trustedProxies), origin, requestId: requestIdOf(request) };
}

async function pass(request: Request, { socket, password }: ConsoleEndpoint, caller: Caller): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set(RELAYED, `${password} ${JSON.stringify(caller)}`);
  const { method, body, signal, url } = request;
  const path = url.startsWith("/") ? url : url.slice(url.indexOf("/", "https://".length));
  const unchanged = { unix: socket, redirect: "manual", decompress: false, timeout: false };
  return fetch(`http://console${path}`, { method, headers, body, signal, ...unchanged } as RequestInit);
}

/** The caller of a relayed request; undefined: its sender does not know the password. */
export function relayedCaller({ headers }: Request, password: string): Caller | undefined {
  const relayed = headers.get(RELAYED) ?? "";
  return isSame(relayed.slice(0, password.length + 1), `${password} `)
    ? (JSON.parse(relayed.slice(password.length + 1)) as Caller)
    : undefined;
}

/** Compares in constant time. The module is loaded on use: an import would add 4 ms to a start. */
const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && process.getBuiltinModule("node:crypto").timingSafeEqual(a, b);
};
