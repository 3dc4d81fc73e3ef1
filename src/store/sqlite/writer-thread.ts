import { openToWrite } from "./database.ts";
import { type WriteTogether, writerOf } from "./writer.ts";
import type { ToThread } from "./writing.ts";

// The thread that writes: a commit waits for the disk, and here it keeps nobody else waiting.

declare const self: Worker;

let close = () => {};
let writeTogether: WriteTogether | undefined;

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "open") {
    const db = openToWrite(data.path);
    writeTogether = writerOf(db);
    close = () => db.close();
  } else if (data.kind === "write") self.postMessage(writeTogether?.(data.writes));
  else {
    close();
    process.exit(0);
  }
};
