import { reasonOf } from "../sql/attempt.ts";
import type { Write } from "../tables/write.ts";
import { WriterConnection } from "./connection.ts";
import type { Locked, WriteOutcome, WriteOutcomes } from "./group-commit.ts";
import type { FromWriter, ToThread, ToWriter } from "./messages.ts";

// The thread that writes, for all that serve: it waits for the disk, so that their event loops do not have to.

declare const self: Worker;

interface Batch {
  /** Of the thread that is told what became of it. */
  readonly port: MessagePort;
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

/** One to each thread that serves. */
const ports = new Set<MessagePort>();
/** While the database is to be opened again. */
let isSuspended = false;
/** Those who have yet to close their connection. */
let unsuspended = new Set<MessagePort>();

const tell = (port: MessagePort, message: FromWriter): void => port.postMessage(message);

function tellAll(message: FromWriter): void {
  for (const port of ports) tell(port, message);
}

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "connect") attend(data.port);
  else if (data.kind === "open") {
    writeTimeoutMs = data.settings.timeouts.writeMs;
    connection = new WriterConnection(data.settings, onDistrust);
    openEarly();
  } else close();
};

function attend(port: MessagePort): void {
  ports.add(port);
  port.onmessage = ({ data }: { data: ToWriter }) => {
    if (data.kind === "write") {
      // After all messages that have arrived meanwhile: together they are one commit.
      if (batches.length === 0) setImmediate(commit);
      batches.push({ port, writes: data.writes, deadlineMs: deadlineOf(data.handedOverAtMs) });
    } else {
      if (data.kind === "leave") ports.delete(port);
      if (unsuspended.delete(port) && unsuspended.size === 0) reopen();
    }
  };
  // Also that all is well: whoever had a port to the writer before this one may not have heard it.
  const { distrust } = connection;
  tell(port, distrust === undefined ? { kind: "trust" } : { kind: "distrust", reason: distrust });
  if (isSuspended) {
    unsuspended.add(port);
    tell(port, { kind: "suspend" });
  }
}

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
  else report(together, outcomes);
  // The outcomes are on their way: only the next commit has to wait.
  try {
    connection.checkpointIfDue(writes.length);
  } catch (error) {
    tellAll({ kind: "problem", problem: "checkpoint", message: reasonOf(error) });
  }
}

/** Each thread gets the outcomes of its own batches, in their order and in one message. */
function report(together: readonly Batch[], outcomes: WriteOutcomes): void {
  const [first] = together as [Batch];
  if (together.every(({ port }) => port === first.port)) {
    tell(first.port, outcomes);
    return;
  }
  const all: readonly unknown[] = outcomes.kind === "all_done" ? outcomes.results : outcomes.outcomes;
  const shares = new Map<MessagePort, unknown[]>();
  let from = 0;
  for (const { port, writes } of together) {
    const share = shares.get(port) ?? [];
    share.push(...all.slice(from, from + writes.length));
    shares.set(port, share);
    from += writes.length;
  }
  for (const [port, share] of shares)
    tell(
      port,
      outcomes.kind === "all_done"
        ? { kind: "all_done", results: share }
        : { kind: "mixed", outcomes: share as WriteOutcome[] },
    );
}

/** Those that have waited long enough. The others wait on, with those that have arrived meanwhile. */
function refuseLate(together: readonly Batch[], { message }: Locked): void {
  const nowMs = performance.now();
  const waiting = together.findIndex((batch, i) => i > 0 && batch.deadlineMs > nowMs);
  const late = waiting === -1 ? together : together.slice(0, waiting);
  const outcome: WriteOutcome = { kind: "unavailable", message, changed: "nothing" };
  report(late, { kind: "mixed", outcomes: late.flatMap((batch) => batch.writes.map(() => outcome)) });
  if (waiting === -1) return;
  if (batches.length === 0) setImmediate(commit);
  batches.unshift(...together.slice(waiting));
}

// After a sync that failed, nothing is acknowledged until the log was written again, all connections of the process
// were closed, and the database was opened and checked: the serving threads are asked to close theirs for a moment.

function onDistrust(reason: string): void {
  tellAll({ kind: "distrust", reason });
  setTimeout(secureLog, 0);
}

function secureLog(): void {
  try {
    connection.secureLog();
    isSuspended = true;
    unsuspended = new Set(ports);
    tellAll({ kind: "suspend" });
    if (unsuspended.size === 0) reopen();
  } catch (error) {
    retryLater(error);
  }
}

function reopen(): void {
  try {
    connection.reopen();
  } catch (error) {
    resume();
    retryLater(error);
    return;
  }
  resume();
  try {
    connection.check();
    retryAfterMs = FIRST_RETRY_AFTER_MS;
    tellAll({ kind: "trust" });
  } catch (error) {
    retryLater(error);
  }
}

function resume(): void {
  isSuspended = false;
  tellAll({ kind: "resume" });
}

function retryLater(error: unknown): void {
  tellAll({ kind: "problem", problem: "reopen", message: reasonOf(error) });
  setTimeout(secureLog, retryAfterMs);
  retryAfterMs = Math.min(2 * retryAfterMs, MAX_RETRY_AFTER_MS);
}

function close(): void {
  try {
    connection.close();
  } catch (error) {
    tellAll({ kind: "problem", problem: "checkpoint", message: reasonOf(error) });
  }
  process.exit(0);
}
