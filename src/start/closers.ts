type Close = () => unknown;

/** What has been opened so far, and how to close it: the latest first, each once, whether a start fails or a service stops. */
export class Closers {
  #closers: Close[] = [];

  /** Work that opens things: if it fails, what it has opened so far is closed again. */
  static async opening<T>(work: (opened: Closers) => Promise<T>): Promise<T> {
    const opened = new Closers();
    try {
      return await work(opened);
    } catch (error) {
      await opened.close().catch(() => {});
      throw error;
    }
  }

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
