import type { Clock } from "../../base/time/clock.ts";
import { withTimeout } from "../../base/time/timeout.ts";

/** A value with the time that it was right at. */
interface Dated<Value> {
  readonly value: Value;
  readonly asOfMs: number;
}

/** The parts that every cache needs. */
export interface CacheParts {
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

interface CachedValueParts<Value> extends CacheParts {
  /** Finds the value out, however long that takes. Given the one from before. */
  readonly find: (before: Value | undefined) => Promise<Value>;
  /** The age from which on the value is found out again. */
  readonly maxAgeMs: number;
  /** Returns whether a value is certain to be right still, however old it is. */
  readonly isUnchanged?: (value: Value) => boolean;
}

/** The longest that a request waits for a first value, if it can do without. */
const FIRST_WAIT_MS = 10;

/** Stale-while-revalidate cache of one slow value. */
export class CachedValue<Value> {
  #latest: Dated<Value> | undefined;
  #finding: Promise<void> | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: CachedValueParts<Value>) {}

  /** The latest value, however old. Undefined: there is none yet, and the first one takes longer than `waitMs`. */
  async latest(waitMs = FIRST_WAIT_MS): Promise<Dated<Value> | undefined> {
    if (this.#isDue()) this.#finding = this.#find();
    if (!this.#latest && this.#finding) await withTimeout(this.#finding, waitMs);
    return this.#latest;
  }

  /** Resolves when nothing is being found out. */
  settled(): Promise<void> {
    return this.#finding ?? Promise.resolve();
  }

  #isDue(): boolean {
    if (this.#finding) return false;
    const { clock, maxAgeMs, isUnchanged } = this.parts;
    // The clock may have been set back.
    if (Math.abs(clock.nowMs() - this.#triedAtMs) < maxAgeMs) return false;
    return !(this.#latest && isUnchanged?.(this.#latest.value));
  }

  async #find(): Promise<void> {
    const asOfMs = this.parts.clock.nowMs();
    this.#triedAtMs = asOfMs;
    try {
      this.#latest = { value: await this.parts.find(this.#latest?.value), asOfMs };
    } catch (error) {
      this.parts.onFailure(error);
    } finally {
      this.#finding = undefined;
    }
  }
}
