/** A moment: any number that only grows, such as the length of a journal. */
export type Moment = number;

/** Something that was asked for: what the thing looks like once it has been done. */
export interface Step<View> {
  readonly view: View;
  readonly sentAt: Moment;
  /** When the answer came that it was done. */
  ackedAt: Moment | undefined;
  /** When the answer came that it was not done. */
  refusedAt: Moment | undefined;
}

export type Verdict = "as promised" | "lost" | "wrong";

/** What was asked for one thing, one after another, and so what it may look like after a crash. */
export class History<View> {
  readonly #steps: Step<View>[];

  /** Two views are the same if this says the same of them. */
  constructor(
    first: View,
    private readonly textOf: (view: View) => string,
  ) {
    this.#steps = [{ view: first, sentAt: 0, ackedAt: 0, refusedAt: undefined }];
  }

  /** Asked for now; the answer is not known yet. */
  send(view: View, sentAt: Moment): Step<View> {
    const step = { view, sentAt, ackedAt: undefined, refusedAt: undefined };
    this.#steps.push(step);
    return step;
  }

  /** What it looks like if all was done that has been acknowledged. */
  get acknowledged(): View {
    return (this.#steps.findLast(({ ackedAt }) => ackedAt !== undefined) as Step<View>).view;
  }

  /** What was asked for last, if nobody knows what became of it. */
  get open(): Step<View> | undefined {
    return this.#steps.findLast(isOpen);
  }

  /** Whether it may look like this after a crash at a moment: all acknowledged by then, and nothing sent later. */
  judge(found: View, at: Moment, sentUntil = at): Verdict {
    const acknowledged = this.#steps.findLastIndex(({ ackedAt }) => ackedAt !== undefined && ackedAt <= at);
    const isFound = ({ view, refusedAt, sentAt }: Step<View>): boolean =>
      !(refusedAt !== undefined && refusedAt <= at) && sentAt <= sentUntil && this.textOf(view) === this.textOf(found);
    if (this.#steps.slice(acknowledged).some(isFound)) return "as promised";
    return this.#steps.slice(0, acknowledged).some(isFound) ? "lost" : "wrong";
  }

  /** What was found decides what became of all that nobody knew of: at most one of rivals was done. */
  settle(found: View, at: Moment): void {
    const open = this.#steps.filter(isOpen);
    const done = open.findLast(({ view }) => this.textOf(view) === this.textOf(found));
    for (const step of open)
      if (step === done) step.ackedAt = at;
      else step.refusedAt = at;
  }

  /** What was promised, in words. */
  describe(): string {
    const step = ({ view, ackedAt, refusedAt }: Step<View>): string =>
      `${this.textOf(view)}${refusedAt !== undefined ? " (refused)" : ackedAt === undefined ? " (not answered)" : ""}`;
    return this.#steps.map(step).join(" → ");
  }
}

const isOpen = ({ ackedAt, refusedAt }: Step<unknown>): boolean => ackedAt === undefined && refusedAt === undefined;
