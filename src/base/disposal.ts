/**
 * Work that opens things: if it fails, they are closed again, the latest first. What fails meanwhile is only reported,
 * so that the reason for all of it is thrown.
 */
export async function opening<T>(
  work: (opened: AsyncDisposableStack) => Promise<T>,
  onFailedClosing: (error: unknown) => void = () => {},
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await work(opened);
  } catch (error) {
    await closeAll(opened).catch(onFailedClosing);
    throw error;
  }
}

/** Closes everything, and throws the first failure: the platform's SuppressedError has no message. */
export async function closeAll(opened: AsyncDisposableStack): Promise<void> {
  try {
    await opened.disposeAsync();
  } catch (error) {
    let first: unknown = error;
    while (first instanceof SuppressedError) first = first.suppressed;
    throw first;
  }
}
