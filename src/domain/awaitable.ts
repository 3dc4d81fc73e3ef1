/** A value, or the promise of one. On the path of a request, what is there already is never waited for. */
export type Awaitable<T> = T | Promise<T>;

/** What follows from a value: at once when it is there, later when it is promised. */
export const andThen = <T, Result>(value: Awaitable<T>, next: (value: T) => Awaitable<Result>): Awaitable<Result> =>
  value instanceof Promise ? value.then(next) : next(value);

/** try and catch for work that may be done at once or later. */
export function rescue<T>(work: () => Awaitable<T>, onError: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(onError) : result;
  } catch (error) {
    return onError(error);
  }
}
