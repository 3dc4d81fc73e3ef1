import type { NameIndex, NameIndexProgress } from "../../store/ports/store.ts";
import type { BackgroundTasks } from "./background.ts";

interface Parts {
  /** False: names are not searched inside. */
  readonly isOn: boolean;
  readonly nameIndex: NameIndex;
  readonly run: BackgroundTasks["run"];
  readonly onFailure: (error: unknown) => void;
}

export interface IndexState extends NameIndexProgress {
  readonly isComplete: boolean;
  /** The latest attempt to extend the index has failed. */
  readonly hasFailed: boolean;
}

/** Keeps the index of names up to date while somebody searches it. */
export class NameIndexing {
  #slice: Promise<void> | undefined;
  #isRunning = false;
  #hasFailed = false;

  constructor(private readonly parts: Parts) {}

  async isPossible(): Promise<boolean> {
    return this.parts.isOn && (await this.parts.nameIndex.progress()) !== undefined;
  }

  /**
   * Indexes what a moment allows, and lets the rest be indexed in the background. Returns the state that a search from
   * now on finds, or undefined where names cannot be searched inside. A failure keeps nobody from searching the rest.
   */
  async prepare(): Promise<IndexState | undefined> {
    const state = await this.#state();
    if (!state || state.isComplete) return state;
    await this.#extend();
    return this.#state();
  }

  async #state(): Promise<IndexState | undefined> {
    const progress = this.parts.isOn ? await this.parts.nameIndex.progress() : undefined;
    if (!progress) return undefined;
    const isComplete = progress.lastId === undefined || progress.upToId === progress.lastId;
    return { ...progress, isComplete, hasFailed: this.#hasFailed };
  }

  /** Searches that come at the same time wait for the same slice. */
  #extend(): Promise<void> {
    if (this.#isRunning) return Promise.resolve();
    this.#slice ??= this.#extendOnce().finally(() => {
      this.#slice = undefined;
    });
    return this.#slice;
  }

  async #extendOnce(): Promise<void> {
    const { nameIndex, run, onFailure } = this.parts;
    try {
      this.#isRunning = await nameIndex.extend();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      onFailure(error);
    }
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
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }
}
