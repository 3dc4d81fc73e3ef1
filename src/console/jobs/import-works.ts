import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../../base/operator-error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type ImportOptions, type ImportProgress, importAnimals } from "../../bulk/import.ts";
import { lineTexts } from "../../bulk/reading/line-texts.ts";
import { openSource } from "../../bulk/reading/source.ts";
import { firstRejects } from "../../bulk/rejects.ts";
import { undoImport } from "../../bulk/undo.ts";
import type { Author } from "../../domain/journal.ts";
import type { ImportStore } from "../../store/ports/store.ts";
import type { ImportWorkView } from "../api/index.ts";
import { ConsoleFault } from "../fault.ts";
import { failedWith, refusedWith, stopped } from "./import-messages.ts";
import { fileNameOf, receive, UPLOAD_LIMITS, UploadFolder, type UploadLimits } from "./upload.ts";

interface Parts {
  readonly imports: ImportStore;
  readonly clock: Clock;
  /** Work that goes on after its request was answered. */
  readonly run: (failure: string, work: (signal: AbortSignal) => Promise<void>) => void;
  readonly onFailure: (error: unknown) => void;
  /** Where files are kept meanwhile; by default the system's folder for temporary files. */
  readonly root?: string;
  readonly limits?: UploadLimits;
  readonly reportMaxBytes?: number;
}

export interface WantedImport extends Pick<ImportOptions, "dryRun" | "skipInvalid" | "again" | "keepIds"> {
  readonly author: Author;
}

/** One file on its way, or an undo: what a page is told of it. */
interface Work {
  readonly id: string;
  readonly folder: string;
  readonly stop: AbortController;
  view: Omit<ImportWorkView, "work" | "hasFile">;
  /** Undefined: it is gone. */
  path: string | undefined;
}

const REJECTS_SHOWN = 100;
/** Of those that have ended. */
const KEPT_WORKS = 20;
/** No file that is sent can have this name. */
const REJECTED = ".rejected.txt";
/** Of a report on lines that are no animals. A small file, packed, can have thousands of millions of them. */
const REPORT_MAX_BYTES = 64 * 1024 * 1024;

/** Imports, one at a time: they go on when the page is closed, and end where they can be continued when this thread does. */
export class ImportWorks {
  readonly #works = new Map<string, Work>();
  readonly #uploads: UploadFolder;
  #current: Work | undefined;

  constructor(private readonly parts: Parts) {
    this.#uploads = new UploadFolder(parts.root);
  }

  view(id: string): ImportWorkView | undefined {
    const work = this.#works.get(id);
    return work && viewOf(work);
  }

  /** The newest first: what is running, if anything is, and what has ended lately. */
  get views(): readonly ImportWorkView[] {
    return [...this.#works.values()].reverse().map(viewOf);
  }

  rejectedPath(id: string): string | undefined {
    const work = this.#works.get(id);
    return work && work.view.rejected > 0 && !isRunning(work) ? join(work.folder, REJECTED) : undefined;
  }

  /** Receives a file, and begins with it. */
  async begin(
    name: string | undefined,
    body: ReadableStream<Uint8Array>,
    wanted: WantedImport,
  ): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const work = await this.#newWork(fileNameOf(name), wanted.dryRun);
    const path = join(work.folder, work.view.name);
    const limits = this.parts.limits ?? UPLOAD_LIMITS;
    const fault = await receive(body, path, work.folder, limits, work.stop.signal).catch((error) => {
      this.#forget(work);
      throw error;
    });
    if (fault) {
      this.#forget(work);
      return fault;
    }
    await this.#dropFilesBut(work);
    work.path = path;
    return this.#start(work, wanted);
  }

  /** Goes on with the file of an earlier work, such as a dry run. */
  async beginFrom(id: string, wanted: WantedImport): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const earlier = this.#works.get(id);
    if (earlier?.path === undefined) return FILE_GONE;
    const work = await this.#newWork(earlier.view.name, wanted.dryRun);
    const path = join(work.folder, work.view.name);
    try {
      // The folder of the earlier one is removed some day.
      await rename(earlier.path, path);
    } catch (error) {
      this.#forget(work);
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      earlier.path = undefined;
      return FILE_GONE;
    }
    earlier.path = undefined;
    work.path = path;
    return this.#start(work, wanted);
  }

  async undo(importId: bigint, name: string, author: Author): Promise<ImportWorkView | ConsoleFault> {
    if (this.#current) return busy(this.#current);
    const work = await this.#newWork(name, false);
    this.#change(work, { isUndo: true, step: "undo", importId: String(importId) });
    const { imports, clock } = this.parts;
    return this.#run(work, async (signal) => {
      const onProgress = (done: number, total: number) => this.#change(work, { done, total });
      const parts = { imports, author, nowMs: () => clock.nowMs(), sleep: Bun.sleep, signal, onProgress };
      const undone = await undoImport(parts, importId);
      if (undone.kind === "done") {
        const { removed, added } = undone.value;
        return this.#change(work, { step: "done", done: removed, total: added, animals: removed });
      }
      const message =
        undone.reason.kind === "no_such_import" ? "There is no such import." : "It has already been undone.";
      this.#change(work, { step: "refused", message });
    });
  }

  /** Where it can be continued. */
  stop(id: string): boolean {
    const work = this.#works.get(id);
    work?.stop.abort();
    return work !== undefined;
  }

  close(): void {
    this.#current?.stop.abort();
    this.#uploads.close();
  }

  async #newWork(name: string, isDryRun: boolean): Promise<Work> {
    const id = crypto.randomUUID();
    const view = {
      name,
      isDryRun,
      isUndo: false,
      step: "upload",
      done: 0,
      total: null,
      animals: 0,
      rejected: 0,
    } as const;
    const rest = { rejects: [], message: null, remedies: [], importId: null };
    // Taken at once: two that arrive together do not both begin.
    const stop = new AbortController();
    const work: Work = { id, folder: "", stop, view: { ...view, ...rest }, path: undefined };
    this.#current = work;
    try {
      const made = Object.assign(work, { folder: await this.#uploads.newFolder(id) });
      this.#works.set(id, made);
      return made;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  #start(work: Work, { author, ...chosen }: WantedImport): ImportWorkView {
    const { imports, clock } = this.parts;
    const path = work.path as string;
    const rejectedPath = join(work.folder, REJECTED);
    const report = { rejectedPath, rejectedMaxBytes: this.parts.reportMaxBytes ?? REPORT_MAX_BYTES };
    // A dry run tells of everything, also of what would be refused.
    const options = { ...chosen, skipInvalid: chosen.dryRun || chosen.skipInvalid, path, ...report };
    this.#change(work, { step: "validate" });
    return this.#run(work, async (signal) => {
      const onProgress = (progress: ImportProgress) => this.#follow(work, progress);
      const parts = { imports, author, nowMs: () => clock.nowMs(), sleep: Bun.sleep, signal, onProgress };
      const imported = await importAnimals(parts, options);
      const { reason } = imported.kind === "refused" ? imported : { reason: undefined };
      const known = imported.kind === "done" ? imported.value : reason?.kind === "invalid_lines" ? reason : undefined;
      if (known) {
        const rejects = await rejectsOf(path, rejectedPath, signal);
        this.#change(work, { animals: known.animals, rejected: known.rejected, rejects });
      }
      if (reason) return this.#change(work, { step: "refused", ...refusedWith(reason, work.view.name) });
      // Everything that it has to say is in the store now.
      if (!options.dryRun) await this.#dropFile(work);
      this.#change(work, { step: "done" });
    });
  }

  #run(work: Work, task: (signal: AbortSignal) => Promise<void>): ImportWorkView {
    this.parts.run("console: an import failed", async (threadSignal) => {
      const signal = AbortSignal.any([threadSignal, work.stop.signal]);
      try {
        await task(signal);
      } catch (error) {
        // What an OperatorError says is for the person, and no failure of the service.
        if (!signal.aborted && !(error instanceof OperatorError)) this.parts.onFailure(error);
        this.#change(work, {
          step: "refused",
          ...(signal.aborted ? stopped(work.view) : failedWith(error, work.view)),
        });
      } finally {
        this.#current = undefined;
        this.#forgetOldest();
      }
    });
    return viewOf(work);
  }

  #follow(work: Work, { step, done, total, importId }: ImportProgress): void {
    this.#change(work, { step, done, total: total ?? null });
    if (importId !== undefined) this.#change(work, { importId: String(importId) });
  }

  #change(work: Work, change: Partial<Work["view"]>): void {
    work.view = { ...work.view, ...change };
  }

  #forget(work: Work): void {
    this.#works.delete(work.id);
    this.#current = undefined;
    rm(work.folder, { recursive: true, force: true }).catch(this.parts.onFailure);
  }

  #forgetOldest(): void {
    for (const work of [...this.#works.values()].slice(0, -KEPT_WORKS)) {
      this.#works.delete(work.id);
      rm(work.folder, { recursive: true, force: true }).catch(this.parts.onFailure);
    }
  }

  /** Only one file is kept at a time. */
  async #dropFilesBut(kept: Work): Promise<void> {
    for (const work of this.#works.values()) if (work !== kept) await this.#dropFile(work);
  }

  async #dropFile(work: Work): Promise<void> {
    const { path } = work;
    work.path = undefined;
    if (path !== undefined) await rm(path, { force: true });
  }
}

const isRunning = ({ view: { step } }: Work): boolean => step !== "done" && step !== "refused";

const viewOf = (work: Work): ImportWorkView => ({ work: work.id, ...work.view, hasFile: work.path !== undefined });

const busy = ({ view: { name } }: Work): ConsoleFault =>
  new ConsoleFault(
    409,
    "import_running",
    `${JSON.stringify(name)} is still in progress. Wait until it has finished, or stop it.`,
  );

const FILE_GONE = new ConsoleFault(
  404,
  "file_gone",
  "The file is no longer here: another instance received it, or the service has restarted since. Choose it again.",
  { field: "file" },
);

/** What the first rejected lines say. */
async function rejectsOf(path: string, rejectedPath: string, signal: AbortSignal): Promise<ImportWorkView["rejects"]> {
  const rejects = await firstRejects(rejectedPath, REJECTS_SHOWN);
  const source = await openSource(path, signal);
  try {
    const texts = await lineTexts(
      source,
      rejects.map(({ line }) => line),
    );
    return rejects.map(({ line, reason }) => ({ line, reason, text: texts.get(line) ?? "" }));
  } finally {
    await source.close();
  }
}
