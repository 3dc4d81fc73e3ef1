import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { atEndOfTurn } from "../base/time/turn.ts";

/** The size of the buffer while nobody reads; lines beyond it are dropped. */
const WAITING_MAX_CHARACTERS = 1_000_000;
const RETRY_DELAY_MS = 10;
/** A stop waits this long for a reader. */
const FLUSH_TIMEOUT_MS = 1_000;

/**
 * Writes lines to standard output or standard error, and never waits: lines are buffered for a slow reader, and dropped
 * for one that has stalled.
 */
export class Output {
  #waiting = "";
  /** The unwritten rest of the lines that were last taken from #waiting. */
  #rest: Uint8Array = NOTHING;
  #dropped = 0;
  #isStalled = false;
  /** True: the last write has ended within a line. */
  #isWithinLine = false;
  #isScheduled = false;

  constructor(
    /** Writes a part of the bytes, and returns how many. Throws EAGAIN when the reader has to read first. */
    private readonly writeSome: (bytes: Uint8Array) => number,
    /** Called when lines can be written again, with the number of those that were dropped. It may write. */
    private readonly onDropped: (lines: number) => void = () => {},
  ) {}

  /** The lines of one turn of the event loop are written together. */
  write(line: string): void {
    const characters = this.#waiting.length + this.#rest.length;
    // The notice stands where lines are missing, but waits until there is room for many others.
    if (this.#isStalled && this.#dropped > 0 && characters < WAITING_MAX_CHARACTERS / 2) this.#reportDropped();
    if (characters >= WAITING_MAX_CHARACTERS || (this.#isStalled && this.#dropped > 0)) {
      this.#dropped++;
      return;
    }
    this.#waiting += line;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    atEndOfTurn(this.#writeLater);
  }

  /** Writes as much as the reader takes without waiting. Returns whether that was everything. */
  writeNow(): boolean {
    while (this.#waiting !== "" || this.#rest.length > 0) {
      if (this.#rest.length === 0) {
        this.#rest = Buffer.from(this.#waiting);
        this.#waiting = "";
      }
      try {
        const written = this.writeSome(this.#rest);
        if (written > 0) this.#isWithinLine = this.#rest[written - 1] !== NEWLINE;
        this.#rest = this.#rest.subarray(written);
      } catch (error) {
        this.#isStalled = (error as { code?: string }).code === "EAGAIN";
        if (this.#isStalled) return false;
        // A log that cannot be written, for instance because the disk is full, must not fail the work it reports on.
        this.#dropped += linesIn(this.#rest);
        this.#rest = NOTHING;
        // The written part of a line must not run into the next one.
        if (this.#isWithinLine) this.#waiting = `\n${this.#waiting}`;
        this.#isWithinLine = false;
        return true;
      }
      if (this.#rest.length > 0 || this.#waiting !== "") continue;
      this.#isStalled = false;
      if (this.#dropped > 0) this.#reportDropped();
    }
    return true;
  }

  /** Resolves when everything is written, or nobody has read it for a second. */
  async flush(): Promise<void> {
    const deadlineMs = performance.now() + FLUSH_TIMEOUT_MS;
    while (!this.writeNow() && performance.now() < deadlineMs) await Bun.sleep(RETRY_DELAY_MS);
  }

  readonly #writeLater = (): void => {
    this.#isScheduled = !this.writeNow();
    if (this.#isScheduled) setTimeout(this.#writeLater, RETRY_DELAY_MS).unref();
  };

  #reportDropped(): void {
    const lines = this.#dropped;
    this.#dropped = 0;
    this.onDropped(lines);
  }
}

const NOTHING = new Uint8Array();

const NEWLINE = 0x0a;
const linesIn = (bytes: Uint8Array): number => bytes.reduce((lines, byte) => lines + (byte === NEWLINE ? 1 : 0), 0);

/**
 * Opens standard output (1) or standard error (2) right away: later, the limit of open files may have been reached. The
 * rest of the lines is written when the process exits, if it can be.
 */
export function openOutput(fd: 1 | 2, onDropped?: (lines: number) => void): Output {
  const target = withoutWaiting(fd);
  const output = new Output((bytes) => writeSync(target, bytes), onDropped);
  process.on("exit", () => output.writeNow());
  return output;
}

/** Sinks that made a descriptor non-blocking. Kept, because a collected sink closes its descriptor. */
const sinks: unknown[] = [];

/**
 * Returns a non-blocking descriptor. It is opened anew where that is possible, because the original is shared with
 * other processes, such as a shell, which expect it to block. A file has no reader to wait for.
 */
function withoutWaiting(fd: number): number {
  if (fstatSync(fd).isFile()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A socket cannot be opened by name. Bun makes it non-blocking for a sink of its own.
    sinks.push(Bun.file(fd).writer());
    return fd;
  }
}
