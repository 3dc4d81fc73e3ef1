/** Makes or loads something when it is first asked for, and only once: a start takes no longer than it must. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
