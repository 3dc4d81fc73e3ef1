import type { Server } from "bun";
import { withTimeout } from "../../base/time/timeout.ts";

const CHECK_INTERVAL_MS = 20;

/** Closes a port at once, and its connections when the requests in progress are answered, or time is up. */
export async function finish(server: Server<undefined>, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const stopped = server.stop();
  while (server.pendingRequests > 0 && performance.now() < deadlineMs)
    if (await withTimeout(stopped, CHECK_INTERVAL_MS)) return;
  await server.stop(true);
}
