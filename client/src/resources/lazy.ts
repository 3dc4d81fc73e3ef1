/** Starts at the first call; each call returns what was started. */
export function once<T>(start: () => T): () => T {
  let started: T | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

/**
 * A promise of what is asked for when somebody looks at it. Asked for at once, something that is kept for later could
 * fail while nobody looks, and Node ends a program for that. It is no subclass of Promise: a runtime that looks into a
 * promise of its own, instead of calling `then`, would wait for ever.
 */
export abstract class Lazy<T, Started extends Promise<T> = Promise<T>> implements Promise<T> {
  abstract readonly [Symbol.toStringTag]: string;
  readonly #start: () => Started;

  constructor(start: () => Started) {
    this.#start = once(start);
  }

  protected start(): Started {
    return this.#start();
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then<A = T, B = never>(...handlers: Parameters<typeof Promise.prototype.then<A, B>>): Promise<A | B> {
    return this.start().then(...handlers);
  }

  catch<B = never>(...handlers: Parameters<typeof Promise.prototype.catch<B>>): Promise<T | B> {
    return this.start().catch(...handlers);
  }

  finally(handler?: (() => void) | null): Promise<T> {
    return this.start().finally(handler);
  }
}
