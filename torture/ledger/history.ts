/** A logical timestamp: any number that only grows, such as the length of a journal. */
export type Moment = number;

/** One requested change: the state of the thing once it has been made. */
export interface Step<View> {
  readonly view: View;
  readonly sentAt: Moment;
  /** The time of the response that confirmed it. */
  ackedAt: Moment | undefined;
  /** The time of the response that refused it. */
  refusedAt: Moment | undefined;
}

export type Verdict = "as promised" | "lost" | "wrong";

/** The changes requested of one thing, in order, and so the states that it may be in after a crash. */
export class History<View> {
  readonly #steps: Step<View>[];

  /** Two views with the same `textOf` are equal. */
  constructor(
    first: View,
    private readonly textOf: (view: View) => string,
  ) {
    this.#steps = [{ view: first, sentAt: 0, ackedAt: 0, refusedAt: undefined }];
  }

  /** Records a change that is about to be requested. */
  send(view: View, sentAt: Moment): Step<View> {
    const step = { view, sentAt, ackedAt: undefined, refusedAt: undefined };
    this.#steps.push(step);
    return step;
  }

  /** The state after all acknowledged changes. */
  get acknowledged(): View {
    return (this.#steps.findLast(({ ackedAt }) => ackedAt !== undefined) as Step<View>).view;
  }

  /** The last change, if its outcome is unknown. */
  get open(): Step<View> | undefined {
    return this.#steps.findLast(isOpen);
  }

  /** Judges a state found after a crash: it must include all changes acknowledged by then, and none sent later. */
  judge(found: View, at: Moment, sentUntil = at): Verdict {
    const acknowledged = this.#steps.findLastIndex(({ ackedAt }) => ackedAt !== undefined && ackedAt <= at);
    const isFound = ({ view, refusedAt, sentAt }: Step<View>): boolean =>
      !(refusedAt !== undefined && refusedAt <= at) && sentAt <= sentUntil && this.textOf(view) === this.textOf(found);
    if (this.#steps.slice(acknowledged).some(isFound)) return "as promised";
    return this.#steps.slice(0, acknowledged).some(isFound) ? "lost" : "wrong";
  }

  /** Settles all unknown outcomes by the state that was found. Of rival changes, at most one was made. */
  settle(found: View, at: Moment): void {
    const open = this.#steps.filter(isOpen);
    const done = open.findLast(({ view }) => this.textOf(view) === this.textOf(found));
    for (const step of open)
      if (step === done) step.ackedAt = at;
      else step.refusedAt = at;
  }

  /** Describes the acknowledged and open changes for a report. */
  describe(): string {
    const step = ({ view, ackedAt, refusedAt }: Step<View>): string =>
      `${this.textOf(view)}${refusedAt !== undefined ? " (refused)" : ackedAt === undefined ? " (not answered)" : ""}`;
    return this.#steps.map(step).join(" → ");
  }
}

const isOpen = ({ ackedAt, refusedAt }: Step<unknown>): boolean => ackedAt === undefined && refusedAt === undefined;
