import type { Listener } from "./listener.ts";

/** A slow body is answered before a stop gives up, and without DRAIN_SECONDS it ends before a supervisor's usual 10 s. */
const STOP_TIMEOUT_MS = 6_000;
/** A client that is told to close its connection may open another one: those that go on are not waited for. */
const QUIET_TIMEOUT_MS = 500;
const HELD_QUIET_MS = 20;
const HELD_TIMEOUT_MS = 200;

/**
 * Stops a listener that is closing. Bun closes idle connections together with the port, and loses the requests that
 * are on their way in them; so first comes a while without any, in which each busy connection gets its last response.
 */
export async function drain(listener: Listener, quietMs: number): Promise<void> {
  const startedAtMs = performance.now();
  const isQuiet = await becomesQuiet(listener, quietMs, QUIET_TIMEOUT_MS);
  const release = isQuiet ? undefined : await holdClients(listener);
  const finished = listener.finish(STOP_TIMEOUT_MS - (performance.now() - startedAtMs));
  release?.();
  await finished;
}

/** Clients that keep coming back are kept waiting: then none of them opens a connection while the port is closed. */
async function holdClients(listener: Listener): Promise<() => void> {
  const release = listener.hold();
  await becomesQuiet(listener, HELD_QUIET_MS, HELD_TIMEOUT_MS);
  return release;
}

/** Waits until no request has arrived for a while; twice as long where any did. False: they keep coming. */
async function becomesQuiet(listener: Listener, quietMs: number, timeoutMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  let { arrivals } = listener;
  let quietAtMs = startedAtMs + quietMs;
  for (;;) {
    const nowMs = performance.now();
    if (nowMs >= quietAtMs) return true;
    if (nowMs >= startedAtMs + timeoutMs) return false;
    await Bun.sleep(1);
    if (listener.arrivals === arrivals) continue;
    arrivals = listener.arrivals;
    quietAtMs = performance.now() + 2 * quietMs;
  }
}
