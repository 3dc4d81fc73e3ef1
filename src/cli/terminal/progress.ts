import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time/clock.ts";
import { formatNumber, note } from "./print.ts";
import { drawOnTerminal } from "./stdout.ts";

/** Work that takes less than this shows no bar. */
const SILENT_MS = 500;
/** A bar on a terminal is redrawn this often. */
const DRAW_INTERVAL_MS = 100;
/** A log gets a line this often. */
const LINE_INTERVAL_MS = 10 * SECOND_MS;

// Neither the cursor nor the wrapping of lines is touched: a process that is killed cannot put them right.
const TO_LINE_START = "\x1b[1G";
const ERASE_REST = "\x1b[0K";
const ERASE_LINE = "\x1b[2K\r";

/** A part of the work that is counted under one bar. */
export interface Step {
  readonly label: string;
  /** The noun for what is counted, in the plural. */
  readonly unit: string;
  /** Undefined: nobody knows. */
  readonly total: number | undefined;
}

/** The place where progress is shown. */
const SURROUNDINGS = {
  nowMs: () => performance.now(),
  sayLine: note,
  /** The columns of a terminal that can redraw a line; undefined: it cannot, or there is none. */
  columns: () => (process.stderr.isTTY && process.env.TERM !== "dumb" ? process.stderr.columns || 80 : undefined),
};

/** Shows on standard error how far work has come: as a bar on a terminal, and elsewhere as a line now and then. */
export class Progress {
  #label: string | undefined;
  /** The first report of the step. An earlier run may have done what came before, which tells nothing about speed. */
  #first = { done: 0, atMs: 0 };
  #dueAtMs = 0;
  #isDrawn = false;
  #isOver = false;

  constructor(private readonly surroundings = SURROUNDINGS) {
    // The second Ctrl+C ends the process in the middle of whatever it is doing.
    process.on("exit", this.end);
  }

  /** Tells how much of a step is done by now, including what an earlier run had done. A step has a bar of its own. */
  report(step: Step, done: number): void {
    const { nowMs, sayLine, columns } = this.surroundings;
    const atMs = nowMs();
    if (step.label !== this.#label) {
      this.#clear();
      this.#label = step.label;
      this.#first = { done, atMs };
      this.#dueAtMs = atMs + (columns() === undefined ? LINE_INTERVAL_MS : SILENT_MS);
    }
    if (this.#isOver || atMs < this.#dueAtMs) return;
    const perSecond = ((done - this.#first.done) / (atMs - this.#first.atMs)) * SECOND_MS;
    const rate = perSecond > 0 && Number.isFinite(perSecond) ? perSecond : undefined;
    const width = columns();
    this.#dueAtMs = atMs + (width === undefined ? LINE_INTERVAL_MS : DRAW_INTERVAL_MS);
    this.#isDrawn = width !== undefined;
    if (width === undefined) sayLine(`${step.label}: ${factsOf(step, done, rate).join(", ").trimStart()}`);
    else drawOnTerminal(`${TO_LINE_START}${barText(step, done, rate, width)}${ERASE_REST}`);
  }

  /** Says something else, on a line of its own. */
  say(text: string): void {
    this.#clear();
    this.surroundings.sayLine(text);
  }

  /** Must always be called, even when the work has failed: it leaves the terminal as it was. */
  readonly end = (): void => {
    this.#isOver = true;
    process.off("exit", this.end);
    this.#clear();
  };

  #clear(): void {
    if (this.#isDrawn) drawOnTerminal(ERASE_LINE);
    this.#isDrawn = false;
  }
}

const BAR_CHARACTERS = 30;
/** A shorter bar says nothing. */
const BAR_CHARACTERS_MIN = 5;

/** Leaves out facts that do not fit, the least important first. */
export function barText(step: Step, done: number, perSecond: number | undefined, width: number): string {
  const { label, total } = step;
  const facts = factsOf(step, done, perSecond);
  // The last column stays free: some terminals begin another line as soon as it is written to.
  const room = width - 1;
  for (let kept = facts.length; kept > 0; kept--) {
    const text = facts.slice(0, kept).join("  ");
    const bar = total === undefined ? 0 : Math.min(BAR_CHARACTERS, room - label.length - text.length - 4);
    if (bar >= BAR_CHARACTERS_MIN) return `${label}  ${barOf(done, total ?? 0, bar)}  ${text}`;
    if (label.length + 2 + text.length <= room) return `${label}  ${text}`;
  }
  return label.slice(0, Math.max(0, room));
}

const shareOf = (done: number, total: number): number => (total === 0 ? 1 : Math.min(1, done / total));

function barOf(done: number, total: number, characters: number): string {
  return "█".repeat(Math.round(shareOf(done, total) * characters)).padEnd(characters, "░");
}

/** The facts, the most important first. */
function factsOf({ unit, total }: Step, done: number, perSecond: number | undefined): string[] {
  const rate = perSecond === undefined ? [] : [`${formatNumber(Math.round(perSecond))} ${unit}/s`];
  if (total === undefined) return [`${formatNumber(done)} ${unit}`, ...rate];
  const left = perSecond === undefined ? [] : [`${formatLeft(((total - done) / perSecond) * SECOND_MS)} left`];
  const percent = `${String(Math.floor(shareOf(done, total) * 100)).padStart(3)} %`;
  return [percent, `${formatNumber(done)} of ${formatNumber(total)} ${unit}`, ...rate, ...left];
}

/** In the two largest units: nobody knows it more exactly. */
function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  if (seconds < MINUTE_MS / SECOND_MS) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < HOUR_MS / MINUTE_MS) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
