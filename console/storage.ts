/** Browsers may forbid storage or limit it, in which case nothing is remembered. */
export function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
