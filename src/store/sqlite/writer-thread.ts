import { reasonOf } from "./attempt.ts";
import type { Locked, WriteOutcome } from "./group-commit.ts";
import type { FromThread, ToThread } from "./write-queue.ts";
import type { Write } from "./writer.ts";
import { WriterConnection } from "./writer-connection.ts";

// The thread that writes: it waits for the disk, so that the event loop does not have to.

declare const self: Worker;

interface Batch {
  readonly writes: readonly Write[];
  /** When they have waited long enough for another process's lock. */
  readonly deadlineMs: number;
}

/** A disk that fails may recover. Each attempt writes all of the log, so they become fewer. */
const FIRST_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 10_000;

let connection: WriterConnection;
let writeTimeoutMs: number;
let batches: Batch[] = [];
let retryAfterMs = FIRST_RETRY_AFTER_MS;

const post = (message: FromThread): void => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") {
    // After all messages that have arrived meanwhile: together they are one commit.
    if (batches.length === 0) setImmediate(commit);
    batches.push({ writes: data.writes, deadlineMs: deadlineOf(data.handedOverAtMs) });
  } else if (data.kind === "open") {
    writeTimeoutMs = data.settings.timeouts.writeMs;
    connection = new WriterConnection(data.settings, onDistrust);
    openEarly();
  } else if (data.kind === "suspended") {
    reopen();
  } else {
    close();
  }
};

/** Threads have no clock in common but that of the system: should it be set meanwhile, the wait still ends in time. */
function deadlineOf(handedOverAtMs: number): number {
  const waitedMs = Math.max(0, Date.now() - handedOverAtMs);
  return performance.now() + Math.max(0, writeTimeoutMs - waitedMs);
}

/** So that the first write need not wait for it. */
function openEarly(): void {
  try {
    connection.open();
  } catch {
    // The first write tries again, and reports why it fails.
  }
}

function commit(): void {
  const together = batches;
  batches = [];
  const writes = together.length === 1 ? (together[0] as Batch).writes : together.flatMap((batch) => batch.writes);
  const outcomes = connection.write(writes, (together[0] as Batch).deadlineMs);
  if (outcomes.kind === "locked") refuseLate(together, outcomes);
  else post(outcomes);
  // The outcomes are on their way: only the next commit has to wait.
  try {
    connection.checkpointIfDue(writes.length);
  } catch (error) {
    post({ kind: "problem", problem: "checkpoint", message: reasonOf(error) });
  }
}

/** Those that have waited long enough. The others wait on, with those that have arrived meanwhile. */
function refuseLate(together: readonly Batch[], { message }: Locked): void {
  const nowMs = performance.now();
  const waiting = together.findIndex((batch, i) => i > 0 && batch.deadlineMs > nowMs);
  const late = waiting === -1 ? together : together.slice(0, waiting);
  const outcome: WriteOutcome = { kind: "unavailable", message, changed: "nothing" };
  post({ kind: "mixed", outcomes: late.flatMap((batch) => batch.writes.map(() => outcome)) });
  if (waiting === -1) return;
  if (batches.length === 0) setImmediate(commit);
  batches.unshift(...together.slice(waiting));
}

// After a sync that failed, nothing is acknowledged until the log was written again, all connections of the process
// were closed, and the database was opened and checked: the thread asks the event loop to close its own for a moment.

function onDistrust(reason: string): void {
  post({ kind: "distrust", reason });
  setTimeout(secureLog, 0);
}

function secureLog(): void {
  try {
    connection.secureLog();
    post({ kind: "suspend" });
  } catch (error) {
    retryLater(error);
  }
}

function reopen(): void {
  try {
    connection.reopen();
  } catch (error) {
    post({ kind: "resume" });
    retryLater(error);
    return;
  }
  post({ kind: "resume" });
  try {
    connection.check();
    retryAfterMs = FIRST_RETRY_AFTER_MS;
    post({ kind: "trust" });
  } catch (error) {
    retryLater(error);
  }
}

function retryLater(error: unknown): void {
  post({ kind: "problem", problem: "reopen", message: reasonOf(error) });
  setTimeout(secureLog, retryAfterMs);
  retryAfterMs = Math.min(2 * retryAfterMs, MAX_RETRY_AFTER_MS);
}

function close(): void {
  try {
    connection.close();
  } catch (error) {
    post({ kind: "problem", problem: "checkpoint", message: reasonOf(error) });
  }
  process.exit(0);
}
