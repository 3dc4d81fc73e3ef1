/** Our listeners on one signal, registered as one: Node warns about more than ten, and is slow with thousands. */
class Listeners extends Set<() => void> {
  handleEvent(): void {
    for (const listener of this) listener();
  }
}

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener when the signal is aborted. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const listeners = listenersOf.get(signal) ?? new Listeners();
  if (!listeners.size) signal.addEventListener("abort", listeners);
  listenersOf.set(signal, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (!listeners.size) signal.removeEventListener("abort", listeners);
  };
}
