const FREE = 0;
const HELD = 1;
/** Held, and a thread sleeps until it is released. */
const AWAITED = 2;

/** Longer than a lock is usually held, and far shorter than falling asleep and being woken takes. */
const SPINS = 50;
/** Whoever holds a lock for so long has not lost the processor, but ended: then others must be able to end too. */
const TIMEOUT_MS = 10_000;

/**
 * Locks that threads share, one for each word of memory. Whoever holds one must not wait for anything, but may lose
 * the processor: then the others sleep, and burn nothing.
 */
export class Locks {
  constructor(
    private readonly words: Int32Array<SharedArrayBuffer>,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** Throws when it cannot be had. */
  acquire(lock: number): void {
    if (Atomics.compareExchange(this.words, lock, FREE, HELD) !== FREE) this.#wait(lock);
  }

  release(lock: number): void {
    if (Atomics.exchange(this.words, lock, FREE) === AWAITED) Atomics.notify(this.words, lock, 1);
  }

  #wait(lock: number): void {
    for (let i = 0; i < SPINS; i++)
      if (Atomics.load(this.words, lock) === FREE && Atomics.compareExchange(this.words, lock, FREE, HELD) === FREE)
        return;
    // Whoever has slept leaves the lock marked: others may still sleep, and its release must wake one of them.
    while (Atomics.exchange(this.words, lock, AWAITED) !== FREE)
      if (Atomics.wait(this.words, lock, AWAITED, this.timeoutMs) === "timed-out")
        throw new Error(`a thread has held the lock of some tallies for ${this.timeoutMs} ms, so it must have ended`);
  }
}
