const FREE = 0;
const HELD = 1;
/** Held, while another thread sleeps until it is released. */
const AWAITED = 2;

/** Spinning takes longer than a lock is usually held, and far less time than to sleep and be woken. */
const SPINS = 50;
/** A thread that holds a lock for so long has not been preempted, but ended: then others must be able to end too. */
const TIMEOUT_MS = 10_000;

/**
 * Locks in shared memory, one for each word. The holder must not wait for anything, but may be preempted: then other
 * threads sleep, and use no CPU.
 */
export class Locks {
  constructor(
    private readonly words: Int32Array<SharedArrayBuffer>,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** Throws when the lock is not released in time. */
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
    // A thread that has slept leaves the lock AWAITED: others may still sleep, and its release must wake one of them.
    while (Atomics.exchange(this.words, lock, AWAITED) !== FREE)
      if (Atomics.wait(this.words, lock, AWAITED, this.timeoutMs) === "timed-out")
        throw new Error(`a thread has held the lock of some tallies for ${this.timeoutMs} ms, so it must have ended`);
  }
}
