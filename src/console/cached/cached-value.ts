import type { Clock } from "../../base/time/clock.ts";

export interface Known<Value> {
  readonly value: Value;
  readonly asOfMs: number;
}

interface CachedValueParts<Value> {
  readonly clock: Clock;
  /** Finds it out, however long that takes. Given what was known before. */
  readonly find: (before: Value | undefined) => Promise<Value>;
  /** For how long it need not be found out again. */
  readonly staysMs: number;
  /** Whether it is certain to be what it was: then its age makes no difference. */
  readonly isUnchanged?: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** How long a request waits for what was never found out yet, if it can do without. */
const FIRST_WAIT_MS = 10;

/**
 * What takes too long to find out while somebody waits for it: it is remembered with its age, and found out again
 * beside the requests that ask for it.
 */
export class CachedValue<Value> {
  #known: Known<Value> | undefined;
  #finding: Promise<void> | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: CachedValueParts<Value>) {}

  /** What is known now. It is waited for briefly only if nothing is; undefined: it takes longer. */
  async latest(waitMs = FIRST_WAIT_MS): Promise<Known<Value> | undefined> {
    if (this.#isDue()) this.#find();
    if (!this.#known && this.#finding) await Promise.race([this.#finding, Bun.sleep(waitMs)]);
    return this.#known;
  }

  /** Returns when nothing is being found out. */
  settled(): Promise<void> {
    return this.#finding ?? Promise.resolve();
  }

  #isDue(): boolean {
    if (this.#finding) return false;
    const { clock, staysMs, isUnchanged } = this.parts;
    // A clock may be set back.
    if (Math.abs(clock.nowMs() - this.#triedAtMs) < staysMs) return false;
    return !(this.#known && isUnchanged?.());
  }

  #find(): void {
    this.#triedAtMs = this.parts.clock.nowMs();
    const find = async (): Promise<void> => {
      try {
        const asOfMs = this.parts.clock.nowMs();
        this.#known = { value: await this.parts.find(this.#known?.value), asOfMs };
      } catch (error) {
        this.parts.onFailure(error);
      } finally {
        this.#finding = undefined;
      }
    };
    this.#finding = find();
  }
}
