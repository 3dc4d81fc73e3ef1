import { runThread } from "../../../base/worker/thread.ts";
import type { StoreProblem } from "../../ports/store.ts";
import { reasonOf, tryEarly } from "../sql/attempt.ts";
import type { Write } from "../tables/write.ts";
import { WriterConnection, type WriterSettings } from "./connection.ts";
import { type Locked, sameForAll, type WriteOutcomes } from "./group-commit.ts";
import type { FromWriter, ToWriter, WriterMethods } from "./messages.ts";
import { distrustIn, newRecovery, type RecoveryEffect, type RecoveryEvent, transition } from "./recovery.ts";

// The writer thread. It waits for the disk, so that the event loops of serving threads do not have to.

interface Batch {
  /** The port to the thread that gets the outcomes. */
  readonly port: MessagePort;
  readonly writes: readonly Write[];
  /** The end of their wait for another process's lock. */
  readonly deadlineMs: number;
}

let connection: WriterConnection;
let writeTimeoutMs: number;
let batches: Batch[] = [];
/** Its ports are those to all serving threads. */
let recovery = newRecovery<MessagePort>();

const tell = (port: MessagePort, message: FromWriter): void => port.postMessage(message);

function report(problem: StoreProblem, error: unknown): void {
  for (const port of recovery.ports) tell(port, { kind: "problem", problem, message: reasonOf(error) });
}

runThread<WriterSettings, WriterMethods, Record<never, never>>((settings) => {
  writeTimeoutMs = settings.timeouts.writeMs;
  connection = new WriterConnection(settings, {
    distrust: () => distrustIn(recovery),
    onSyncFailure: (reason) => dispatch({ kind: "sync_failed", reason }),
  });
  if (!settings.isTrusted) dispatch({ kind: "sync_failed", reason: "a failed sync" });
  tryEarly(() => connection.open());
  return { connect, close };
});

function connect(port: MessagePort): void {
  port.onmessage = ({ data }: { data: ToWriter }) => {
    if (data.kind === "write") {
      // Messages that have arrived meanwhile come first, so that all are one commit.
      if (batches.length === 0) setImmediate(commit);
      batches.push({ port, writes: data.writes, deadlineMs: deadlineOf(data.handedOverAtMs) });
    } else dispatch({ kind: data.kind === "leave" ? "left" : "connection_closed", port });
  };
  // A thread that was terminated says nothing, but its ports are closed.
  port.addEventListener("close", () => dispatch({ kind: "left", port }));
  dispatch({ kind: "joined", port });
}

/** Threads share only the system clock. If it is set meanwhile, the wait still ends in time. */
function deadlineOf(handedOverAtMs: number): number {
  const waitedMs = Math.max(0, Date.now() - handedOverAtMs);
  return performance.now() + Math.max(0, writeTimeoutMs - waitedMs);
}

function commit(): void {
  const together = batches;
  batches = [];
  const writes = together.length === 1 ? (together[0] as Batch).writes : together.flatMap((batch) => batch.writes);
  const outcomes = connection.write(writes, (together[0] as Batch).deadlineMs);
  if (outcomes.kind === "locked") refuseLate(together, outcomes);
  else distribute(together, outcomes);
  // The outcomes have been sent, so only the next commit waits for the checkpoint.
  try {
    connection.checkpointIfDue(writes.length);
  } catch (error) {
    report("checkpoint", error);
  }
}

/** Each thread gets the outcomes of its own batches, in their order and in one message. */
function distribute(together: readonly Batch[], outcomes: WriteOutcomes): void {
  const [first] = together as [Batch];
  if (together.every(({ port }) => port === first.port)) {
    tell(first.port, outcomes);
    return;
  }
  const shares = new Map<MessagePort, unknown[]>();
  let from = 0;
  for (const { port, writes } of together) {
    const share = shares.get(port) ?? [];
    share.push(...outcomes.outcomes.slice(from, from + writes.length));
    shares.set(port, share);
    from += writes.length;
  }
  for (const [port, share] of shares) tell(port, { ...outcomes, outcomes: share } as WriteOutcomes);
}

/** Refuses the batches whose wait is over. The others wait on, with those that have arrived meanwhile. */
function refuseLate(together: readonly Batch[], { message }: Locked): void {
  const nowMs = performance.now();
  const waiting = together.findIndex((batch, i) => i > 0 && batch.deadlineMs > nowMs);
  const late = waiting === -1 ? together : together.slice(0, waiting);
  const writes = late.flatMap((batch) => batch.writes);
  distribute(late, sameForAll(writes, { kind: "unavailable", message, changed: "nothing" }));
  if (waiting === -1) return;
  if (batches.length === 0) setImmediate(commit);
  batches.unshift(...together.slice(waiting));
}

function dispatch(event: RecoveryEvent<MessagePort>): void {
  const { state, effects } = transition(recovery, event);
  recovery = state;
  for (const effect of effects) carryOut(effect);
}

function carryOut(effect: RecoveryEffect<MessagePort>): void {
  if (effect.kind === "tell") for (const port of effect.ports) tell(port, effect.message);
  else if (effect.kind === "schedule") setTimeout(() => dispatch({ kind: "attempt_due" }), effect.afterMs);
  else if (effect.kind === "secure_log") tryTo(() => connection.secureLog(), { kind: "log_secured" });
  else if (effect.kind === "reopen") tryTo(() => connection.reopen(), { kind: "reopened" });
  else tryTo(() => connection.check(), { kind: "checked" });
}

function tryTo(work: () => void, done: RecoveryEvent<MessagePort>): void {
  let event = done;
  try {
    work();
  } catch (error) {
    event = { kind: "failed", reason: reasonOf(error) };
  }
  dispatch(event);
}

async function close(): Promise<void> {
  try {
    connection.close();
  } catch (error) {
    report("checkpoint", error);
  }
}
