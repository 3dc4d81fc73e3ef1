import { existsSync, statSync } from "node:fs";
import { memoryMb, openDescriptors, percentile } from "../wire/readings.ts";
import type { Target } from "../wire/target.ts";

interface Sample {
  readonly atMs: number;
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly logMb: number;
}

const INTERVAL_MS = 100;

/** Samples a service's process from outside. */
export class Watch {
  readonly #samples: Sample[] = [];
  readonly #timer: Timer;

  constructor(private readonly target: Target) {
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
  }

  #look(): void {
    const { pid, databaseFile } = this.target;
    const log = `${databaseFile}-wal`;
    this.#samples.push({
      atMs: performance.now(),
      memoryMb: memoryMb(pid),
      descriptors: openDescriptors(pid),
      logMb: existsSync(log) ? statSync(log).size / 2 ** 20 : 0,
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  highest(name: "memoryMb" | "descriptors" | "logMb"): number {
    return this.#samples.reduce((highest, sample) => Math.max(highest, sample[name]), 0);
  }

  /** The rise of the median memory from the second quarter of the time to the last. */
  growthMb(): number {
    const quarter = Math.floor(this.#samples.length / 4);
    const median = (from: number) =>
      percentile(
        this.#samples.slice(from, from + quarter).map(({ memoryMb }) => memoryMb),
        0.5,
      );
    return quarter === 0 ? 0 : median(this.#samples.length - quarter) - median(quarter);
  }
}
