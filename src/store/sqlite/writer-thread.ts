import type { Database } from "bun:sqlite";
import { openToWrite } from "./database.ts";
import { type Outcome, type Write, type WriteTogether, writerOf } from "./writer.ts";
import type { ToThread } from "./writing.ts";

// The thread that writes: a commit waits for the disk, and here it keeps nobody else waiting.

declare const self: Worker;

let path = "";
let db: Database | undefined;
let writeTogether: WriteTogether | undefined;

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") self.postMessage(write(data.writes));
  else if (data.kind === "open") {
    ({ path } = data);
    write([]);
  } else {
    db?.close();
    process.exit(0);
  }
};

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
