/** A value, or the promise of one. A request that needs nothing slow is answered without a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Continues with a value: at once if it is there, later if it is promised. */
export const andThen = <T, Next>(value: Awaitable<T>, next: (value: T) => Awaitable<Next>): Awaitable<Next> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Runs work that may throw or reject; the handler gives the outcome then. */
export function orElse<T>(work: () => Awaitable<T>, onError: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.catch(onError) : outcome;
  } catch (error) {
    return onError(error);
  }
}
