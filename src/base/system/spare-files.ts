import { closeSync, openSync } from "node:fs";

/** The devNull of node:os, which takes a millisecond to load in every thread. */
const NOTHING = "/dev/null";

/** Files that are open for nothing but to be closed when one is needed: at the limit, no other could be opened. */
export class SpareFiles {
  #descriptors: number[] = [];

  constructor(private readonly count: number) {}

  /** Opens as many as there is room for. Returns whether there is room for all of them. */
  refill(): boolean {
    try {
      while (this.#descriptors.length < this.count) this.#descriptors.push(openSync(NOTHING, "r"));
      return true;
    } catch {
      return false;
    }
  }

  /** Makes room for as many other files. */
  release(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }
}
