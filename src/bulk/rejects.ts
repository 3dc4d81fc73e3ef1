import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { AlreadyExists, beginFile, CannotWrite, type PartialFile } from "../store/files/partial-file.ts";
import { UnusableFile } from "./file-problem.ts";
import { noteOnLeft } from "./reading/notes.ts";
import type { Reading } from "./reading/readings.ts";

// Lines of a file that are not animals go to two files: one has the reasons, and one the lines as they are, below the
// header, so that they can be mended and imported again.

const FIRST_LINE = "# Lines that animal-store animals import has rejected, of ";
const BUFFER_CHARACTERS = 64 * 1024;
/** Bounds each file: a small compressed one can have thousands of millions of invalid lines. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The rejects that are kept for people to look at, and what is shown of each. */
const FIRST_KEPT = 100;
const SHOWN_CHARACTERS = 300;

export type Reject = Extract<Reading, { kind: "rejected" }>;

/** A reject with as much of its text as people need. */
export interface ShownReject extends Omit<Reject, "kind"> {}

/** The report on rejected records: where they are, and how many it lacks. */
export interface RejectReport {
  readonly rejected: number;
  /** More than the rejected records if a text has several lines. */
  readonly rejectedLines: number;
  /** Records for whose reasons there was no room, and those for whose lines there was none. */
  readonly unreported: number;
  readonly linesLeftOut: number;
  /** The file with the lines; undefined: none was rejected. */
  readonly linesPath: string | undefined;
  readonly firstRejects: readonly ShownReject[];
}

/** Fails with an UnusableFile. A file of somebody else is never replaced. */
export class Rejects {
  count = 0;
  #lines = 0;
  #kept: ShownReject[] = [];
  #linesPath: string | undefined;
  #reasons: BoundedFile | undefined;
  #texts: BoundedFile | undefined;

  constructor(
    readonly path: string,
    private readonly sourceName: string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** The header is that of the file; undefined for NDJSON. */
  add(reject: Reject, header: string | undefined): void {
    if (this.count++ === 0) this.#begin(header);
    const { line, lastLine, reason, text } = reject;
    if (this.#kept.length < FIRST_KEPT) this.#kept.push({ line, lastLine, reason, text: shown(text) });
    this.#lines += lastLine - line + 1;
    this.#reasons?.add(`${whereOf(reject)}\t${reason}\n`);
    this.#texts?.add(`${text}\n`);
  }

  #begin(header: string | undefined): void {
    const { path, maxBytes } = this;
    const linesPath = linesPathOf(path, header === undefined ? "ndjson" : "csv");
    this.#linesPath = linesPath;
    this.#reasons = new BoundedFile(path, `${FIRST_LINE}${this.sourceName}\n`, maxBytes, () => isOurs(path));
    const mayReplace = (): boolean => isAsWritten(path, linesPath);
    this.#texts = new BoundedFile(linesPath, header === undefined ? "" : `${header}\n`, maxBytes, mayReplace);
  }

  /** Gives the files their names when all lines have been read. Without rejected lines, earlier files of ours are removed. */
  publish(): void {
    const [path, linesPath] = [this.path, this.#linesPath];
    if (linesPath === undefined) {
      removeEarlier(path);
      return;
    }
    const digest = this.#texts?.finish();
    this.#reasons?.finish(`# The lines are in ${basename(linesPath)}, whose SHA-256 is ${digest}\n`);
    // The digest tells our lines from those that somebody is mending, so none may ever be there without it: a kill on
    // the way leaves at most a report without its lines, which the next import replaces.
    if (isAsWritten(path, linesPath)) rmSync(linesPath);
    else if (existsSync(linesPath)) throw new UnusableFile({ kind: "rejects_exist", path: linesPath });
    this.#reasons?.publish();
    this.#texts?.publish();
  }

  get report(): RejectReport {
    return {
      rejected: this.count,
      rejectedLines: this.#lines,
      unreported: this.#reasons?.left ?? 0,
      linesLeftOut: this.#texts?.left ?? 0,
      linesPath: this.#linesPath,
      firstRejects: this.#kept,
    };
  }

  /** Must always be called. A file that was not published leaves nothing behind. */
  close(): void {
    this.#reasons?.close();
    this.#texts?.close();
  }
}

/** The file with the lines, beside that with the reasons. */
const linesPathOf = (path: string, format: "csv" | "ndjson"): string => `${path}.${format}`;

/** A file of limited size, which appears entirely or not at all. */
class BoundedFile {
  /** The number of records for which there was no room. */
  left = 0;
  readonly #partial: PartialFile;
  readonly #digest = new Bun.CryptoHasher("sha256");
  #buffer: string;
  #bytes = 0;

  constructor(
    path: string,
    start: string,
    private readonly maxBytes: number,
    mayReplace: () => boolean,
  ) {
    this.#partial = writing(() => beginFile(path, { mayReplace }));
    this.#buffer = start;
  }

  add(text: string): void {
    // After one that was left out, nothing is added: what is here is the beginning.
    if (this.left > 0 || this.#bytes >= this.maxBytes) this.left++;
    else this.#buffer += text;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Writes what is left, and returns the digest of the content. */
  finish(end = ""): string {
    if (this.left > 0) this.#buffer += `${noteOnLeft(this.left)}\n`;
    this.#buffer += end;
    this.#flush();
    return this.#digest.digest("hex");
  }

  publish(): void {
    writing(() => this.#partial.publish());
  }

  close(): void {
    this.#partial.remove();
  }

  #flush(): void {
    const text = this.#buffer;
    this.#buffer = "";
    this.#bytes += Buffer.byteLength(text);
    this.#digest.update(text);
    writing(() => appendFileSync(this.#partial.descriptor, text));
  }
}

function writing<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof AlreadyExists) throw new UnusableFile({ kind: "rejects_exist", path: error.file });
    const why = error instanceof CannotWrite ? error.why : (error as Error).message;
    throw new UnusableFile({ kind: "rejects_not_written", why });
  }
}

export const whereOf = ({ line, lastLine }: Pick<Reject, "line" | "lastLine">): string =>
  line === lastLine ? `line ${line}` : `lines ${line}-${lastLine}`;

/** The first line, if there are several. */
function shown(text: string): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

/** Removes the files of an earlier run, except lines that somebody is mending. */
function removeEarlier(path: string): void {
  if (!isOurs(path)) return;
  for (const format of ["csv", "ndjson"] as const) {
    const linesPath = linesPathOf(path, format);
    if (isAsWritten(path, linesPath)) rmSync(linesPath, { force: true });
  }
  rmSync(path, { force: true });
}

/** Returns whether a file has our reasons. */
const isOurs = (path: string): boolean => partOf(path, FIRST_LINE.length, 0) === FIRST_LINE;

/** The last line of our reasons. */
const LINES_NOTE = /# The lines are in .*, whose SHA-256 is ([0-9a-f]{64})\n$/;
const LINES_NOTE_MAX_BYTES = 1024;

/** Returns whether a file of lines is as we wrote it: somebody may have mended it since. */
function isAsWritten(path: string, linesPath: string): boolean {
  if (!isOurs(path) || !existsSync(linesPath)) return false;
  const digest = LINES_NOTE.exec(partOf(path, LINES_NOTE_MAX_BYTES, -1) ?? "")?.[1];
  return digest === new Bun.CryptoHasher("sha256").update(readFileSync(linesPath)).digest("hex");
}

/** The first or last bytes of a file as text; undefined if it cannot be read. */
function partOf(path: string, bytes: number, from: 0 | -1): string | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      const part = Buffer.alloc(bytes);
      const start = from === 0 ? 0 : Math.max(0, Bun.file(path).size - bytes);
      return part.subarray(0, readSync(descriptor, part, 0, bytes, start)).toString();
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
