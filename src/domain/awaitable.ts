/** A value, or the promise of one. On the path of a request, what is there already is never waited for. */
export type Awaitable<T> = T | Promise<T>;

/** What follows from a value: at once when it is there, later when it is promised. */
export const andThen = <T, Result>(value: Awaitable<T>, next: (value: T) => Awaitable<Result>): Awaitable<Result> =>
  value instanceof Promise ? value.then(next) : next(value);
