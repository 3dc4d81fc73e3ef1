interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  older: Entry<Value> | undefined;
  newer: Entry<Value> | undefined;
}

/**
 * A map of limited size, which drops its oldest entry for a new one. Every operation takes constant time: asking a Map
 * for its first key again and again walks over all that were deleted before it.
 */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  #oldest: Entry<Value> | undefined;
  #newest: Entry<Value> | undefined;

  constructor(private readonly maxEntries: number) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** All values, in no particular order. */
  values(): Value[] {
    return [...this.#entries.values()].map(({ value }) => value);
  }

  /** Sets the value of a key, which becomes the newest entry. */
  set(key: string, value: Value): void {
    this.delete(key);
    if (this.#oldest && this.#entries.size >= this.maxEntries) this.#remove(this.#oldest);
    const entry: Entry<Value> = { key, value, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    this.#entries.set(key, entry);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(entry);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
  }

  #remove(entry: Entry<Value>): void {
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#entries.delete(entry.key);
  }
}
