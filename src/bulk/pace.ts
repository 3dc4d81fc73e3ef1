import { type AddedBatch, OTHERS_STAY_MS } from "../domain/stock/import.ts";

// The size of batches of an import. Other writers wait while a batch is written, and get their turn between two.

const FIRST_SIZE = 500;
const MIN_SIZE = 20;
const MAX_SIZE = 10_000;

/** The wanted duration of a batch without other writers, and beside them: so short that it is seldom preempted. */
const ALONE_MS = 45;
const BESIDE_OTHERS_MS = 1;
/** Beside other writers, most of the time is theirs. */
const MIN_PAUSE_MS = 6;

export class Pace {
  size = FIRST_SIZE;
  #othersWroteAtMs = Number.NEGATIVE_INFINITY;

  /** Returns how long to pause after a batch. */
  after({ heldMs, othersWrite }: AddedBatch, nowMs: number): number {
    if (othersWrite) this.#othersWroteAtMs = nowMs;
    const isAlone = nowMs - this.#othersWroteAtMs > OTHERS_STAY_MS;
    const wantedMs = isAlone ? ALONE_MS : BESIDE_OTHERS_MS;
    // Alone, a batch shrinks by half at most, since a busy machine can slow down one; for other writers, at once.
    const factor = Math.min(1.5, Math.max(isAlone ? 0.5 : 0, wantedMs / Math.max(heldMs, 0.1)));
    this.size = Math.min(MAX_SIZE, Math.max(MIN_SIZE, Math.round(this.size * factor)));
    return isAlone ? 0 : Math.max(MIN_PAUSE_MS, heldMs);
  }
}
