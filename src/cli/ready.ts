import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Command } from "commander";
import { OperatorError } from "../base/operator-error.ts";
import { reachableHost } from "../base/system/reachable-host.ts";
import type { Config } from "../config.ts";
import { configFromEnvironment } from "./arguments/context.ts";
import type { JsonOption } from "./arguments/options.ts";
import { print, printJson } from "./terminal/print.ts";

const EXIT_NOT_READY = 1;
/** The service itself waits less for its database before it answers that it is not ready. */
const ANSWER_TIMEOUT_MS = 3_000;

export function addReady(program: Command): void {
  program
    .command("ready")
    .description("Check whether the service on this machine is ready for requests, as a container's health check does.")
    .action(ready);
}

export async function ready({ json }: JsonOption = {}): Promise<void> {
  const reason = await whyNotReady(configFromEnvironment());
  if (json) {
    printJson({ ready: reason === null, reason });
    if (reason !== null) process.exitCode = EXIT_NOT_READY;
  } else if (reason === null) print("ready");
  else throw new OperatorError(reason);
}

/** Null: the service with these settings answers that it is ready. */
export async function whyNotReady(
  { HOST, PORT }: Pick<Config, "HOST" | "PORT">,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<string | null> {
  if (PORT === 0) return "cannot tell where the service listens: PORT is 0. Set it to the port in use";
  const url = `http://${reachableHost(HOST)}:${PORT}/readyz`;
  const status = await statusOf(url, timeoutMs).catch((error: Error) => error);
  if (status instanceof Error) return `no answer from ${url}: ${status.message}`;
  return status === 200 ? null : `not ready: ${url} answered ${status}. The service's log has the cause`;
}

/** The status that a URL is answered with. fetch() would send even this request to the proxy in HTTP_PROXY. */
export async function statusOf(url: string, timeoutMs: number): Promise<number | undefined> {
  const request = get(url, { agent: false });
  // A connection may fail after the answer, which counts all the same; without a listener, that would end the process.
  request.on("error", () => {});
  setTimeout(() => request.destroy(new Error(`nothing within ${timeoutMs / 1000} s`)), timeoutMs).unref();
  const [response]: IncomingMessage[] = await once(request, "response");
  response?.resume();
  return response?.statusCode;
}
