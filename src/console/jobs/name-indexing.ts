import type { NameIndex } from "../../store/ports/store.ts";
import type { BackgroundTasks } from "./background.ts";

interface Parts {
  readonly nameIndex: Pick<NameIndex, "extend">;
  readonly run: BackgroundTasks["run"];
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the index of names up to date while somebody searches it. */
export class NameIndexing {
  #isRunning = false;

  constructor(private readonly parts: Parts) {}

  /** Indexes what a moment allows, and the rest in the background. It never fails: what is indexed can be searched. */
  async extend(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { nameIndex, run, onFailure } = this.parts;
    this.#isRunning = await nameIndex.extend().catch((error: unknown) => {
      onFailure(error);
      return false;
    });
    if (this.#isRunning) run("console: names could not be indexed", (signal) => this.#extendToEnd(signal));
  }

  /** Leaves others as much time to write as it takes. */
  async #extendToEnd(signal: AbortSignal): Promise<void> {
    try {
      for (let areMore = true; areMore && !signal.aborted; ) {
        const beganMs = performance.now();
        areMore = await this.parts.nameIndex.extend();
        await Bun.sleep(performance.now() - beganMs);
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
