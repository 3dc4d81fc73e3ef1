import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time/clock.ts";
import { formatNumber, note } from "./print.ts";
import { drawOnTerminal } from "./stdout.ts";

/** Work that takes less than this shows no bar. */
const SILENT_MS = 500;
/** How often the bar on a terminal is redrawn. */
const DRAW_INTERVAL_MS = 100;
/** How often a log gets a line. */
const LINE_INTERVAL_MS = 10 * SECOND_MS;

// Neither the cursor nor the wrapping of lines is touched: a process that is killed cannot put them right.
const TO_LINE_START = "\x1b[1G";
const ERASE_REST = "\x1b[0K";
const ERASE_LINE = "\x1b[2K\r";

export interface Progress {
  /** Tells how much is done by now, including what an earlier run had done. */
  advance(done: number): void;
  /** Says something else, on a line of its own. */
  say(text: string): void;
  /** Must always be called, even when the work has failed: it leaves the terminal as it was. */
  end(): void;
}

export interface Work {
  readonly label: string;
  /** The noun for what is counted, in the plural. */
  readonly unit: string;
  /** Undefined: nobody knows. */
  readonly total: number | undefined;
}

/** The place where progress is shown. */
export interface Surroundings {
  readonly nowMs: () => number;
  readonly sayLine: (text: string) => void;
  /** The columns of a terminal that can redraw a line; undefined: it cannot, or there is none. */
  readonly columns: () => number | undefined;
}

const SURROUNDINGS: Surroundings = {
  nowMs: () => performance.now(),
  sayLine: note,
  columns: () => (process.stderr.isTTY && process.env.TERM !== "dumb" ? process.stderr.columns || 80 : undefined),
};

/** Shows on standard error how far some work has come: as a bar on a terminal, and elsewhere as a line now and then. */
export function showProgress(work: Work, { nowMs, sayLine, columns }: Surroundings = SURROUNDINGS): Progress {
  const pace = new Pace(nowMs);
  let dueAtMs = nowMs() + (columns() === undefined ? LINE_INTERVAL_MS : SILENT_MS);
  let isDrawn = false;
  let isOver = false;

  const clear = () => {
    if (isDrawn) drawOnTerminal(ERASE_LINE);
    isDrawn = false;
  };
  const end = () => {
    isOver = true;
    process.off("exit", end);
    clear();
  };
  // The second Ctrl+C ends the process in the middle of whatever it is doing.
  process.on("exit", end);

  return {
    advance(done) {
      pace.note(done);
      if (isOver || nowMs() < dueAtMs) return;
      const width = columns();
      dueAtMs = nowMs() + (width === undefined ? LINE_INTERVAL_MS : DRAW_INTERVAL_MS);
      if (width === undefined)
        return sayLine(`${work.label}: ${factsOf(work, done, pace.perSecond()).join(", ").trimStart()}`);
      drawOnTerminal(`${TO_LINE_START}${barText(work, done, pace.perSecond(), width)}${ERASE_REST}`);
      isDrawn = true;
    },
    say(text) {
      clear();
      sayLine(text);
    },
    end,
  };
}

/** Runs work that reports how far its current step has come: one bar after the other. */
export async function withBars<Result>(
  run: (report: (step: Work, done: number) => void) => Promise<Result>,
): Promise<Result> {
  let shown: { readonly label: string; readonly progress: Progress } | undefined;
  try {
    return await run((step, done) => {
      if (step.label !== shown?.label) {
        shown?.progress.end();
        shown = { label: step.label, progress: showProgress(step) };
      }
      shown.progress.advance(done);
    });
  } finally {
    shown?.progress.end();
  }
}

/** Measures the speed since the first report, because an earlier run may have done what came before. */
class Pace {
  #done = 0;
  #first: { readonly done: number; readonly at: number } | undefined;

  constructor(private readonly nowMs: () => number) {}

  note(done: number): void {
    this.#done = done;
    this.#first ??= { done, at: this.nowMs() };
  }

  /** Undefined until there are two reports. */
  perSecond(): number | undefined {
    if (!this.#first) return undefined;
    const seconds = (this.nowMs() - this.#first.at) / SECOND_MS;
    const rate = (this.#done - this.#first.done) / seconds;
    return rate > 0 && Number.isFinite(rate) ? rate : undefined;
  }
}

const BAR_CHARACTERS = 30;
/** A shorter bar says nothing. */
const BAR_CHARACTERS_MIN = 5;

/** Leaves out facts that do not fit, the least important first. */
export function barText(work: Work, done: number, perSecond: number | undefined, width: number): string {
  const { label, total } = work;
  const facts = factsOf(work, done, perSecond);
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
function factsOf({ unit, total }: Work, done: number, perSecond: number | undefined): string[] {
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
