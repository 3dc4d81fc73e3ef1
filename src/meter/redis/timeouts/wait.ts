/** Waits for work, but no longer than this. What fails in time fails here; no timer is left to keep the process running. */
export async function waitFor(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(timeoutMs, 0));
  try {
    await Promise.race([work, isOver]);
  } finally {
    clearTimeout(timer);
  }
}
