import type { Database } from "bun:sqlite";
import { openToWrite } from "./database.ts";
import { type Outcome, type Write, type WriteTogether, writerOf } from "./writer.ts";
import type { ToThread } from "./writing.ts";

// The thread that writes: a commit waits for the disk, and here it keeps nobody else waiting.

declare const self: Worker;

let path = "";
let db: Database | undefined;
let writeTogether: WriteTogether | undefined;
let handedOver: Write[] = [];

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") {
    // When all messages that came meanwhile have been read: they are one commit.
    if (handedOver.length === 0) setImmediate(commit);
    handedOver.push(...data.writes);
  } else if (data.kind === "open") {
    ({ path } = data);
    write([]);
  } else {
    db?.close();
    process.exit(0);
  }
};

function commit(): void {
  const writes = handedOver;
  handedOver = [];
  self.postMessage(write(writes));
}

/** Opens the database with the first call, and tries again with the next when it cannot. */
function write(writes: readonly Write[]): Outcome[] {
  try {
    if (!writeTogether) {
      db = openToWrite(path);
      writeTogether = writerOf(db);
    }
    return writeTogether(writes);
  } catch (error) {
    const { message } = error as Error;
    return writes.map(() => ({ kind: "unavailable", message }));
  }
}
