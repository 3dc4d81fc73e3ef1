import type { Database } from "bun:sqlite";
import { openForWriting } from "./database.ts";
import { groupCommit, type WriteOutcomes, type WriteTogether } from "./group-commit.ts";
import { noteCommits } from "./version.ts";
import { walIndexAt } from "./wal-index.ts";
import type { ThreadSettings, ToThread } from "./write-queue.ts";
import type { Write } from "./writer.ts";

// The thread that writes: it waits for the disk, so that the event loop does not have to.

declare const self: Worker;

let settings: ThreadSettings;
let db: Database | undefined;
let writeTogether: WriteTogether | undefined;
let handedOver: Write[] = [];

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") {
    // After all messages that have arrived meanwhile: together they are one commit.
    if (handedOver.length === 0) setImmediate(commit);
    handedOver.push(...data.writes);
  } else if (data.kind === "open") {
    ({ settings } = data);
    openEarly();
  } else {
    db?.close();
    process.exit(0);
  }
};

/** So that the first write need not wait for it. */
function openEarly(): void {
  try {
    writeTogether = open();
  } catch {
    // The first write tries again, and reports why it fails.
  }
}

function commit(): void {
  const writes = handedOver;
  handedOver = [];
  self.postMessage(write(writes));
}

/** Opens the database unless it is open. When that fails, the next write tries again. */
function write(writes: readonly Write[]): WriteOutcomes {
  try {
    writeTogether ??= open();
    return writeTogether(writes);
  } catch (error) {
    const { message } = error as Error;
    return { kind: "mixed", outcomes: writes.map(() => ({ kind: "unavailable", message })) };
  }
}

function open(): WriteTogether {
  const { path, timeouts, noteTarget } = settings;
  db = openForWriting(path, timeouts);
  const bookkeeping = noteTarget
    ? noteCommits(walIndexAt(noteTarget.walIndexAddress), noteTarget.note)
    : (commit: () => void) => commit();
  return groupCommit(db, bookkeeping);
}
