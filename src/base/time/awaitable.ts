/** A value, or the promise of one. A request that needs nothing slow is answered without awaiting anything. */
export type Awaitable<T> = T | Promise<T>;

/** What follows from a value: at once if it is there, later if it is promised. */
export const andThen = <T, Next>(value: Awaitable<T>, next: (value: T) => Awaitable<Next>): Awaitable<Next> =>
  value instanceof Promise ? value.then(next) : next(value);

/** The outcome of some work, or of what to do when it throws or rejects. */
export function orElse<T>(work: () => Awaitable<T>, onError: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.catch(onError) : outcome;
  } catch (error) {
    return onError(error);
  }
}
