import type { Database } from "bun:sqlite";
import { type Store, type StoreProblem, StoreUnavailable } from "../../ports/store.ts";
import { type DatabaseFiles, FileWatch, refuse } from "../file/identity.ts";
import { walIndexAt } from "../wal/index.ts";
import { followVersion, versionByPragma } from "../wal/version.ts";
import type { NoteTarget } from "../writer/connection.ts";
import { Reader } from "./reader.ts";
import { WriteQueue } from "./write-queue.ts";

/** One serving thread's view of a file: a connection that reads, a queue of writes, and a watch on the file. */
export class ServingView {
  readonly reader: Reader;
  readonly queue: WriteQueue;
  #watch: FileWatch | undefined;
  #report: (problem: StoreProblem, error: Error) => void = () => {};
  /** Undefined until it is known what to follow. */
  version: Store["version"] = () => undefined;

  constructor(path: string, db: Database | undefined, requestPort: () => void) {
    this.reader = new Reader(path, db, this.#refuseToOpen);
    this.queue = new WriteQueue({ requestPort, closeConnection: this.reader.release, onProblem: this.#onProblem });
  }

  /** Watches the file, and follows commits, from here on. */
  follow(files: DatabaseFiles, noteTarget: NoteTarget | undefined): void {
    this.#watch = new FileWatch(files);
    if (noteTarget) {
      const head = walIndexAt(noteTarget.walIndexAddress);
      this.version = followVersion(head, noteTarget.note);
      this.reader.shareTransactions(head);
    } else this.version = versionByPragma(this.reader.connection);
  }

  /** False after a failed sync, until the database was opened again and checked. */
  get isTrusted(): boolean {
    return this.queue.phase.kind === "trusted";
  }

  readonly #refuseToOpen = (): void => {
    if (this.queue.phase.kind === "suspended")
      throw new StoreUnavailable("the database is being opened again after a failure of the disk");
    this.refuseIfReplaced();
  };

  /** Throws StoreUnavailable. */
  readonly refuseIfReplaced = (): void => {
    refuse(this.isTrusted ? this.#watch?.whyReplaced() : this.#watch?.whyMoved());
  };

  /** Throws StoreUnavailable if every write would be refused. */
  check(): void {
    this.refuseIfReplaced();
    const { phase } = this.queue;
    if (phase.kind !== "trusted")
      throw new StoreUnavailable(`writes are refused until the database was opened again: ${phase.reason}`);
  }

  onProblem(report: (problem: StoreProblem, error: Error) => void): void {
    this.#report = report;
  }

  readonly #onProblem = (problem: StoreProblem, error: Error): void => {
    if (problem === "sync") this.#watch?.contents.forget();
    this.#report(problem, error);
  };

  /** Closes it for good, once the queue is closed. */
  close(): void {
    this.reader.close({ mayCheckpoint: this.isTrusted && this.#watch?.whyOverwritten() === undefined });
    this.queue.disconnect();
  }
}
