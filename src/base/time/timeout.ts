/**
 * Waits for work no longer than a limit, and rejects if the work fails in time. Undefined: time was up, or the signal
 * aborted the wait; a later outcome is dropped. No timer is left to keep the process running.
 */
export async function withTimeout<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ readonly value: Value } | undefined> {
  const { promise: isOver, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  const timer = setTimeout(giveUp, Math.max(0, timeoutMs));
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([isOver, work.then((value) => ({ value }))]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
