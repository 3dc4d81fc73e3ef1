type Close = () => unknown;

/** What has been opened so far, and how to close it: the latest first, each once, whether a start fails or a service stops. */
export class Closers {
  #closers: Close[] = [];

  add(close: Close): void {
    this.#closers.push(close);
  }

  /** Closes everything, even if something fails on the way; then throws the first failure. */
  async close(): Promise<void> {
    const closers = this.#closers.reverse();
    this.#closers = [];
    const failures: unknown[] = [];
    for (const close of closers) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
