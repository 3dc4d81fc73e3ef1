import type { AttackName } from "../arguments.ts";

/** One attack's go in a run of all: a process of its own, with a seed of its own. */
export interface Turn {
  readonly name: AttackName;
  readonly minutes: number;
  readonly seed: number;
}

const USUAL_MINUTES = 4;
/** Attacks that play a list of rows need longer, and a leak shows only after a while. */
const LONGER_MINUTES: Partial<Record<AttackName, number>> = { hostile: 12, outages: 12, soak: 60 };

/** Divides the time of a run: each attack gets the same share, in turns, and each turn the next seed. */
export class Turns {
  readonly #had = new Map<AttackName, { minutes: number; turns: number }>();

  constructor(
    names: readonly AttackName[],
    private readonly totalMinutes: number,
    private readonly firstSeed: number,
  ) {
    for (const name of names) this.#had.set(name, { minutes: 0, turns: 0 });
  }

  /** The turn of the attack that has had the least time; undefined once each has had its share. */
  next(): Turn | undefined {
    const share = this.totalMinutes / this.#had.size;
    const waiting = [...this.#had].filter(([, { minutes }]) => share - minutes > share / 100);
    const [first] = waiting.sort(([, a], [, b]) => a.minutes - b.minutes);
    if (!first) return undefined;
    const [name, { minutes, turns }] = first;
    const left = share - minutes;
    const turnsLeft = Math.max(1, Math.round(left / (LONGER_MINUTES[name] ?? USUAL_MINUTES)));
    return { name, minutes: left / turnsLeft, seed: this.firstSeed + turns };
  }

  /** Notes a turn that has ended. One that failed at once counts in full, or it would be tried for the whole share. */
  note({ name, minutes: planned }: Turn, minutes: number): void {
    const had = this.#had.get(name) ?? { minutes: 0, turns: 0 };
    this.#had.set(name, { minutes: had.minutes + Math.max(planned, minutes), turns: had.turns + 1 });
  }
}
