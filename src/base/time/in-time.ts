interface Patience {
  readonly ms: number;
  /** Ends it before. */
  readonly signal: AbortSignal;
}

/** What is waited for; undefined: it took too long, or somebody has stopped it. What comes later is dropped. */
export async function inTime<Value>(
  wanted: Promise<Value>,
  { ms, signal }: Patience,
): Promise<{ readonly value: Value } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  const timer = setTimeout(giveUp, ms);
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([late, wanted.then((value) => ({ value }))]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
