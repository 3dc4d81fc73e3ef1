import type { SingleBar } from "cli-progress";
import { lazy } from "../../base/lazy.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time/clock.ts";
import { formatNumber, note } from "./print.ts";

/** What takes less than this shows nothing, and most commands never load it. */
const SILENT_MS = 500;
/** How often a log gets a line. */
const LINE_INTERVAL_MS = 10 * SECOND_MS;
/** How often a terminal gets another value. */
const DRAW_INTERVAL_MS = 100;

const loadBar = lazy(() => import("cli-progress"));

export interface Progress {
  /** How much of it is done by now, with what an earlier run had done. */
  advance(done: number): void;
  /** Says something else, on a line of its own. */
  say(text: string): void;
  /** Always to be called, also when the work has failed: the terminal is then as it was. */
  end(): void;
}

export interface Work {
  readonly label: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** Undefined: nobody knows. */
  readonly total: number | undefined;
}

/** Shows on standard error how far some work has come: as a bar on a terminal, and elsewhere as a line now and then. */
export function showProgress(work: Work, { nowMs, sayLine, canDraw }: Surroundings = SURROUNDINGS): Progress {
  const pace = new Pace(nowMs);
  const view = canDraw() ? new Bar(work, pace) : new Lines(work, pace, sayLine);
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    process.off("exit", end);
    view.clear();
  };
  // The second Ctrl+C ends the process in the middle of whatever it is doing.
  process.on("exit", end);
  return {
    advance(done) {
      pace.note(done);
      if (!isOver) view.show();
    },
    say(text) {
      view.clear();
      sayLine(text);
    },
    end,
  };
}

/** Where it is shown. */
export interface Surroundings {
  readonly nowMs: () => number;
  readonly sayLine: (text: string) => void;
  readonly canDraw: () => boolean;
}

const SURROUNDINGS: Surroundings = {
  nowMs: () => performance.now(),
  sayLine: note,
  canDraw: () => process.stderr.isTTY === true && process.env.TERM !== "dumb",
};

/** How fast it goes: since the first report, because an earlier run may have done what came before. */
class Pace {
  readonly startedAt: number;
  done = 0;
  #first: { readonly done: number; readonly at: number } | undefined;

  constructor(readonly nowMs: () => number) {
    this.startedAt = nowMs();
  }

  note(done: number): void {
    this.done = done;
    this.#first ??= { done, at: this.nowMs() };
  }

  /** Undefined until it can be told. */
  perSecond(): number | undefined {
    if (!this.#first) return undefined;
    const seconds = (this.nowMs() - this.#first.at) / SECOND_MS;
    const rate = (this.done - this.#first.done) / seconds;
    return rate > 0 && Number.isFinite(rate) ? rate : undefined;
  }
}

class Lines {
  readonly #work: Work;
  readonly #pace: Pace;
  #lastAt: number;

  constructor(
    work: Work,
    pace: Pace,
    private readonly sayLine: (text: string) => void,
  ) {
    this.#work = work;
    this.#pace = pace;
    this.#lastAt = pace.startedAt;
  }

  show(): void {
    const now = this.#pace.nowMs();
    if (now - this.#lastAt < LINE_INTERVAL_MS) return;
    this.#lastAt = now;
    const facts = factsOf(this.#work, this.#pace.done, this.#pace.perSecond());
    this.sayLine(`${this.#work.label}: ${facts.join(", ").trimStart()}`);
  }

  clear(): void {}
}

class Bar {
  readonly #work: Work;
  readonly #pace: Pace;
  #bar: SingleBar | undefined;
  /** Grows whenever the bar is taken away: one that is still being loaded is then not drawn. */
  #clearings = 0;
  #drawnAt = 0;

  constructor(work: Work, pace: Pace) {
    this.#work = work;
    this.#pace = pace;
  }

  show(): void {
    const now = this.#pace.nowMs();
    if (now - this.#pace.startedAt < SILENT_MS || now - this.#drawnAt < DRAW_INTERVAL_MS) return;
    this.#drawnAt = now;
    if (this.#bar) this.#bar.update(this.#pace.done);
    else void this.#draw();
  }

  async #draw(): Promise<void> {
    const before = this.#clearings;
    const { SingleBar } = await loadBar();
    if (this.#bar || this.#clearings !== before) return;
    this.#bar = new SingleBar({
      stream: process.stderr,
      format: (_options, { maxWidth }) => barText(this.#work, this.#pace.done, this.#pace.perSecond(), maxWidth),
      // Neither the cursor nor the wrapping of lines is touched: a process that is killed cannot put them right.
      hideCursor: false,
      linewrap: true,
      clearOnComplete: true,
    });
    this.#bar.start(this.#work.total ?? 0, this.#pace.done);
  }

  /** The line is empty then. The next value draws the bar again. */
  clear(): void {
    this.#clearings++;
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

const BAR_CHARACTERS = 30;
/** A shorter one says nothing. */
const BAR_CHARACTERS_MIN = 5;

/** Leaves out what does not fit, the least important first. */
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

/** The most important first. */
function factsOf({ unit, total }: Work, done: number, perSecond: number | undefined): string[] {
  const rate = perSecond === undefined ? [] : [`${formatNumber(Math.round(perSecond))} ${unit}/s`];
  if (total === undefined) return [`${formatNumber(done)} ${unit}`, ...rate];
  const left = perSecond === undefined ? [] : [`${formatLeft(((total - done) / perSecond) * SECOND_MS)} left`];
  const percent = `${String(Math.floor(shareOf(done, total) * 100)).padStart(3)} %`;
  return [percent, `${formatNumber(done)} of ${formatNumber(total)} ${unit}`, ...rate, ...left];
}

/** In the two largest units, which is as exactly as anybody can know it. */
function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  if (seconds < MINUTE_MS / SECOND_MS) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < HOUR_MS / MINUTE_MS) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
