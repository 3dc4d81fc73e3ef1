import { rename, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { OperatorError } from "../../base/operator-error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ImportOptions, importAnimals } from "../../bulk/import.ts";
import { undoImport } from "../../bulk/undo.ts";
import type { Author } from "../../domain/journal.ts";
import type { Store } from "../../store/ports/store.ts";
import type { ImportWorkView } from "../api/index.ts";
import { ConsoleFault, SIGNED_OUT } from "../fault.ts";
import { failedText, refusedWith, stoppedText } from "./import-messages.ts";
import { isRunning, type JobEvent, type JobState, nextState, undoing, uploading } from "./import-state.ts";
import { fileFault, fileNameOf, receive, UPLOAD_LIMITS, type UploadLimits } from "./upload.ts";
import { UploadFolder } from "./upload-folder.ts";

interface Parts {
  readonly store: Pick<Store, "imports" | "categories">;
  readonly clock: Clock;
  /** Runs a task that outlives its request. */
  readonly run: (failure: string, task: (signal: AbortSignal) => Promise<void>) => void;
  readonly onFailure: (error: unknown) => void;
  /** Keeps the files meanwhile; by default the system's folder for temporary files. */
  readonly root?: string;
  readonly limits?: UploadLimits;
  readonly reportMaxBytes?: number;
}

interface WantedImport extends Pick<ImportOptions, "dryRun" | "skipInvalid" | "again" | "keepIds" | "map"> {
  readonly author: Author;
  /** Asked once the file has arrived, which may take hours: the session may have ended meanwhile. */
  readonly isAllowed: () => Promise<boolean>;
}

/** An import of one file, or an undo. */
interface Job {
  readonly id: string;
  readonly folder: string;
  readonly stop: AbortController;
  state: JobState;
  /** The file; undefined: it has not arrived, or is gone. */
  path: string | undefined;
  /** The file of its rejected lines, once it is complete. */
  linesPath: string | undefined;
}

/** The number of ended jobs to keep. */
const KEPT_JOBS = 20;
/** No uploaded file can have this name. */
const REJECTED = ".rejected.txt";

/** Runs imports, one at a time. They go on when the page is closed, and can be continued after the thread has ended. */
export class ImportJobs {
  readonly #jobs = new Map<string, Job>();
  readonly #uploads: UploadFolder;
  #current: Job | undefined;

  constructor(private readonly parts: Parts) {
    this.#uploads = new UploadFolder(parts.root);
  }

  view(id: string): ImportWorkView | undefined {
    const job = this.#jobs.get(id);
    return job && viewOf(job);
  }

  /** The newest first: the running one, if there is one, and those that have ended lately. */
  get views(): readonly ImportWorkView[] {
    return [...this.#jobs.values()].reverse().map(viewOf);
  }

  /** The report on rejected lines, once it is complete. */
  rejected(id: string): { readonly path: string; readonly name: string } | undefined {
    const job = this.#jobs.get(id);
    if (!job || job.state.rejected === 0 || isRunning(job.state)) return undefined;
    return { path: join(job.folder, REJECTED), name: `${job.state.name}${REJECTED}` };
  }

  /** The rejected lines themselves, once they are complete. */
  rejectedLines(id: string): { readonly path: string; readonly name: string } | undefined {
    const job = this.#jobs.get(id);
    if (!job?.linesPath || isRunning(job.state)) return undefined;
    return { path: job.linesPath, name: `${job.state.name}.rejected${extname(job.linesPath)}` };
  }

  /** Receives a file, and starts importing it. */
  async begin(
    name: string | undefined,
    body: ReadableStream<Uint8Array>,
    wanted: WantedImport,
  ): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const job = this.#newJob(uploading(fileNameOf(name), wanted.dryRun));
    return this.#import(job, wanted, async (path) => {
      const fault = await receive(body, path, job.folder, this.parts.limits ?? UPLOAD_LIMITS, job.stop.signal);
      if (!fault && !(await wanted.isAllowed())) return SIGNED_OUT;
      // Only one file is kept at a time.
      if (!fault) for (const earlier of this.#jobs.values()) await dropFile(earlier);
      return fault;
    });
  }

  /** Imports the file of an earlier job, such as a dry run. */
  async beginFrom(id: string, wanted: WantedImport): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const earlier = this.#jobs.get(id);
    const earlierPath = earlier?.path;
    if (!earlier || earlierPath === undefined) return FILE_GONE;
    const job = this.#newJob(uploading(earlier.state.name, wanted.dryRun));
    return this.#import(job, wanted, async (path) => {
      // The folder of the earlier job is removed some day.
      const isThere = await rename(earlierPath, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
          return false;
        },
      );
      earlier.path = undefined;
      return isThere ? undefined : FILE_GONE;
    });
  }

  async undo(importId: bigint, name: string, author: Author): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const job = this.#newJob(undoing(name, importId));
    return this.#run(job, async (signal) => {
      const onProgress = (done: number, total: number) => advance(job, { kind: "progressed", done, total });
      const undone = await undoImport({ ...this.#bulkParts(author, signal), onProgress }, importId);
      if (undone.kind === "done") {
        const { removed, added } = undone.value;
        return { kind: "finished", done: removed, total: added, animals: removed };
      }
      const message =
        undone.reason.kind === "no_such_import" ? "There is no such import." : "It has already been undone.";
      return { kind: "refused", message };
    });
  }

  /** Stops a job where it can be continued. */
  stop(id: string): ImportWorkView | undefined {
    this.#jobs.get(id)?.stop.abort();
    return this.view(id);
  }

  close(): void {
    this.#current?.stop.abort();
    this.#uploads.close();
  }

  /** Awaits nothing: of two requests that arrive together, only one begins. */
  #newJob(state: JobState): Job {
    const id = crypto.randomUUID();
    const folder = this.#uploads.newFolder(id);
    const job: Job = { id, folder, stop: new AbortController(), state, path: undefined, linesPath: undefined };
    this.#jobs.set(id, job);
    this.#current = job;
    return job;
  }

  /** Imports the file that `place` puts at a path. A job that gets no file is forgotten. */
  async #import(
    job: Job,
    wanted: WantedImport,
    place: (path: string) => Promise<ConsoleFault | undefined>,
  ): Promise<ImportWorkView | ConsoleFault> {
    const path = join(job.folder, job.state.name);
    const fault = await place(path).catch(async (error: unknown) => {
      await this.#forgetCurrent(job);
      throw error;
    });
    if (fault) {
      await this.#forgetCurrent(job);
      return fault;
    }
    job.path = path;
    advance(job, { kind: "received" });
    return this.#run(job, (signal) => this.#importFile(job, path, wanted, signal));
  }

  async #importFile(
    job: Job,
    path: string,
    { author, isAllowed: _, ...chosen }: WantedImport,
    signal: AbortSignal,
  ): Promise<JobEvent> {
    const rejectedPath = join(job.folder, REJECTED);
    const imported = await importAnimals(
      {
        ...this.#bulkParts(author, signal),
        onProgress: (progress) => advance(job, { kind: "progressed", ...progress }),
      },
      {
        ...chosen,
        // A dry run reports everything, including what would be refused.
        skipInvalid: chosen.dryRun || chosen.skipInvalid,
        path,
        rejectedPath,
        rejectedMaxBytes: this.parts.reportMaxBytes,
      },
    );
    const { reason } = imported.kind === "refused" ? imported : { reason: undefined };
    const validated = imported.kind === "done" ? imported.value : reason?.kind === "invalid_lines" ? reason : undefined;
    if (validated) {
      const { linesPath, firstRejects, ...counts } = validated;
      const { animals, rejected, unreported, linesLeftOut } = counts;
      job.linesPath = linesPath;
      const rejects = firstRejects.map(({ line, reason, text }) => ({ line, reason, text }));
      advance(job, { kind: "validated", animals, rejected, unreported, linesLeftOut, rejects });
    }
    if (reason) return { kind: "refused", ...refusedWith(reason, job.state.name) };
    // The animals are in the store now.
    if (!chosen.dryRun) await dropFile(job);
    return { kind: "finished" };
  }

  #bulkParts(author: Author, signal: AbortSignal) {
    const { store, clock } = this.parts;
    const { imports, categories } = store;
    return { imports, categories, author, nowMs: () => clock.nowMs(), sleep: Bun.sleep, signal };
  }

  /** Runs the rest of a job in the background, up to the event that ends it. */
  #run(job: Job, task: (signal: AbortSignal) => Promise<JobEvent>): ImportWorkView {
    this.parts.run("console: an import failed", async (threadSignal) => {
      const signal = AbortSignal.any([threadSignal, job.stop.signal]);
      try {
        advance(job, await task(signal));
      } catch (error) {
        // An OperatorError is for the person, and no failure of the service.
        if (!signal.aborted && !(error instanceof OperatorError)) this.parts.onFailure(error);
        const message = signal.aborted ? stoppedText(job.state) : failedText(error, job.state);
        advance(job, { kind: "refused", message });
      } finally {
        this.#current = undefined;
        for (const old of [...this.#jobs.values()].slice(0, -KEPT_JOBS)) await this.#forget(old);
      }
    });
    return viewOf(job);
  }

  #forgetCurrent(job: Job): Promise<void> {
    this.#current = undefined;
    return this.#forget(job);
  }

  async #forget(job: Job): Promise<void> {
    this.#jobs.delete(job.id);
    await rm(job.folder, { recursive: true, force: true }).catch(this.parts.onFailure);
  }
}

function advance(job: Job, event: JobEvent): void {
  job.state = nextState(job.state, event);
}

async function dropFile(job: Job): Promise<void> {
  const { path } = job;
  job.path = undefined;
  if (path !== undefined) await rm(path, { force: true });
}

const viewOf = (job: Job): ImportWorkView => ({ work: job.id, ...job.state, hasFile: job.path !== undefined });

const busy = ({ state: { name } }: Job): ConsoleFault =>
  new ConsoleFault(
    409,
    "import_running",
    `${JSON.stringify(name)} is still in progress. Wait until it has finished, or stop it.`,
  );

const FILE_GONE = fileFault(
  404,
  "file_gone",
  "The file is no longer here: another instance received it, or the service has restarted since. Choose it again.",
);
