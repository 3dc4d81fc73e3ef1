import { appendFileSync, closeSync, existsSync, openSync, readSync, rmSync } from "node:fs";
import { AlreadyExists, beginFile, CannotWrite, type PartialFile } from "../store/files/partial-file.ts";
import { UnusableFile } from "./file-problem.ts";
import type { Reading } from "./reading/readings.ts";

// The lines of a file that are not animals go to a file of their own, each with the reason.

const FIRST_LINE = "# Lines that animal-store animals import has rejected, of ";
const BUFFER_CHARACTERS = 64 * 1024;
/** Bounds the report: a small compressed file can have thousands of millions of invalid lines. */
const MAX_BYTES = 64 * 1024 * 1024;

export type Reject = Extract<Reading, { kind: "rejected" }>;

/** Fails with an UnusableFile. A file of somebody else is never replaced. */
export class Rejects {
  count = 0;
  /** More than the rejected records if a text has several lines. */
  lines = 0;
  first: Reject | undefined;
  #partial: PartialFile | undefined;
  #buffer = "";
  #bytes = 0;
  /** Rejected records for which there was no room. */
  left = 0;

  constructor(
    readonly path: string,
    private readonly sourceName: string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  add(reject: Reject): void {
    if (this.count++ === 0) {
      this.first = reject;
      this.#partial = writing(() => beginFile(this.path, { mayReplace: () => isOurs(this.path) }));
      this.#buffer = `${FIRST_LINE}${this.sourceName}\n`;
    }
    this.lines += reject.lastLine - reject.line + 1;
    if (this.#bytes >= this.maxBytes) this.left++;
    else this.#buffer += `${whereOf(reject)}\t${reject.reason}\n`;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Gives the file its name when all lines have been read. Without rejected lines, an earlier file of ours is removed. */
  publish(): void {
    if (!this.#partial && isOurs(this.path)) rmSync(this.path, { force: true });
    if (this.left > 0) this.#buffer += `# ${this.left} more were rejected, for which there was no room here.\n`;
    this.#flush();
    writing(() => this.#partial?.publish());
  }

  /** Must always be called. A file that was not published leaves nothing behind. */
  close(): void {
    this.#partial?.remove();
  }

  #flush(): void {
    const text = this.#buffer;
    this.#buffer = "";
    this.#bytes += Buffer.byteLength(text);
    writing(() => this.#partial && appendFileSync(this.#partial.descriptor, text));
  }
}

function writing<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof AlreadyExists) throw new UnusableFile({ kind: "rejects_exist" });
    const why = error instanceof CannotWrite ? error.why : (error as Error).message;
    throw new UnusableFile({ kind: "rejects_not_written", why });
  }
}

export const whereOf = ({ line, lastLine }: Reject): string =>
  line === lastLine ? `line ${line}` : `lines ${line}-${lastLine}`;

function isOurs(path: string): boolean {
  try {
    const descriptor = openSync(path, "r");
    try {
      const start = Buffer.alloc(FIRST_LINE.length);
      return readSync(descriptor, start) === start.length && start.toString() === FIRST_LINE;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

/** A reject takes 2 KB at most, so this is enough for hundreds. */
const START_BYTES = 1024 * 1024;
const REJECT = /^lines? (\d+)(?:-(\d+))?\t([^\n]*)/gm;

/** The first rejects, a hundred or so, in a file that was published. */
export async function firstRejects(path: string, count: number): Promise<readonly Reject[]> {
  if (!existsSync(path)) return [];
  const start = await Bun.file(path).slice(0, START_BYTES).text();
  return Array.from(start.matchAll(REJECT).take(count), ([, line, lastLine = line, reason = ""]) => ({
    kind: "rejected",
    line: Number(line),
    lastLine: Number(lastLine),
    reason,
  }));
}
