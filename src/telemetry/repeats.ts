export interface RepeatsParts<Entry> {
  /** Logs an entry. `repeated`: the number of others that were not logged. `isMixed`: they are of several kinds. */
  readonly write: (entry: Entry, repeated?: number, isMixed?: boolean) => void;
  /** Selects the entry that is logged with the number of repeats. */
  readonly shows: "first" | "latest";
  readonly intervalMs: number;
  /** Calls back once, without keeping the process alive for it. */
  readonly schedule?: (delayMs: number, callback: () => void) => void;
}

/** The number of kinds that are told apart; entries of further ones are counted together. */
const MAX_KINDS = 50;

interface Kind<Entry> {
  readonly isMixed: boolean;
  shown: Entry;
  /** Occurrences since it was last logged. */
  count: number;
}

/** Rate limit for log lines: logs the first entry of a kind, and at the end of each interval the number of repeats. */
export class Repeats<Entry> {
  readonly #kinds = new Map<string, Kind<Entry>>();

  constructor(private readonly parts: RepeatsParts<Entry>) {}

  /** `others`: the kind to count it as when there are too many already. */
  report(name: string, others: string, entry: () => Entry): void {
    const isMixed = !this.#kinds.has(name) && this.#kinds.size >= MAX_KINDS;
    const id = isMixed ? others : name;
    const known = this.#kinds.get(id);
    if (known) {
      known.count++;
      if (this.parts.shows === "latest") known.shown = entry();
      return;
    }
    const kind = { isMixed, shown: entry(), count: 0 };
    this.parts.write(kind.shown);
    this.#kinds.set(id, kind);
    this.#endLater(id, kind);
  }

  /** Logs the entries that were only counted so far. */
  close(): void {
    for (const kind of this.#kinds.values()) this.#writeCounted(kind);
  }

  #endLater(id: string, kind: Kind<Entry>): void {
    const { schedule = systemSchedule, intervalMs } = this.parts;
    schedule(intervalMs, () => {
      if (this.#writeCounted(kind)) this.#endLater(id, kind);
      else this.#kinds.delete(id);
    });
  }

  /** Returns whether there was anything to log. */
  #writeCounted(kind: Kind<Entry>): boolean {
    const { shown, count, isMixed } = kind;
    kind.count = 0;
    if (count > 0) this.parts.write(shown, count, isMixed);
    return count > 0;
  }
}

const systemSchedule = (delayMs: number, callback: () => void): void => void setTimeout(callback, delayMs).unref();
