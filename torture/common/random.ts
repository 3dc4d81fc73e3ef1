/** Seeded random numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Similar seeds would begin alike, so the first numbers are dropped.
    for (let i = 0; i < 4; i++) this.float();
  }

  /** A sequence for one round, client or case, independent of how many numbers others have taken. */
  static of(seed: number, ...path: readonly number[]): Random {
    return new Random(path.reduce((mixed, part) => Math.imul(mixed ^ (part + 0x9e3779b9), 0x85ebca6b), seed) ^ seed);
  }

  /** A number in [0, 1), by Mulberry32. */
  float(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.float() * (to - from + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error("there is nothing to pick from");
    return values[this.int(0, values.length - 1)] as T;
  }

  shuffle<T>(values: readonly T[]): T[] {
    const shuffled = [...values];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
    }
    return shuffled;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.int(0, 255));
  }
}
