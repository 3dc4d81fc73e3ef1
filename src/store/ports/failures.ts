/** The store cannot do its work now: it is busy, full, read-only or gone. Every method of the ports may throw it. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** The effect of the attempt: unknown if the reply to a commit was lost on its way. */
  readonly changed: "nothing" | "unknown";

  constructor(message: string, options: ErrorOptions & { changed?: "nothing" | "unknown" } = {}) {
    super(message, options);
    this.changed = options.changed ?? "nothing";
  }
}

/** A search would have to look at more rows than there is time for. */
export class SearchTooSlow extends Error {
  override readonly name = "SearchTooSlow";
}

/** The message of StoreUnavailable after the store was closed. */
export const STORE_CLOSED = "the store is closed, because the service is stopping";

/** A failure in the background that no caller is told of: a checkpoint, a sync to disk, or reopening the file. */
export type StoreProblem = "checkpoint" | "sync" | "reopen";
