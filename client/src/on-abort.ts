/** Our listeners of one signal. Each signal has one of these: Node warns of more than ten, and is slow with very many. */
class Listeners extends Set<() => void> {
  handleEvent(): void {
    for (const listener of this) listener();
  }
}

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener when the signal is aborted, until the function that this returns is called. */
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
