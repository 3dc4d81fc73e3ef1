import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, type Outcome, type RunningService, run, serve } from "../../test/harness/program/program.ts";
import { JournaledDisk } from "../disk/disk.ts";
import { type DiskRecord, readJournal } from "../disk/journal.ts";
import { diskEnvironment, setFaults } from "../disk/layer.ts";

/** Where a service keeps its data, below the folder that it is started in. */
export const DATABASE = "data/animal-store.db";
export const OPERATOR_KEY = "data/animal-store.operator-key";
/** All of them close their connections when a sync has failed. */
const THREADS = 4;

/** A folder whose every change is journaled, and the program on it. */
export class Stage {
  readonly cwd = temporaryFolder();
  /** As it was before anything was journaled: cutPower() tells it the rest. */
  readonly disk: JournaledDisk;
  readonly #journal: string;
  readonly #faults: string;
  readonly #env: Record<string, string>;

  constructor({ hasDataFolder }: { readonly hasDataFolder: boolean }) {
    const aside = temporaryFolder();
    this.#journal = join(aside, "journal");
    this.#faults = join(aside, "faults");
    writeFileSync(this.#journal, "");
    if (hasDataFolder) mkdirSync(join(this.cwd, "data"));
    this.disk = new JournaledDisk(this.cwd);
    this.#env = diskEnvironment({ folder: this.cwd, journal: this.#journal, faults: this.#faults });
  }

  /** How much has been done to the disk. */
  readonly now = (): number => statSync(this.#journal).size;

  serve(env: Record<string, string> = {}): Promise<RunningService> {
    return serve({ cwd: this.cwd, env: { ...this.#env, ...env } });
  }

  /** With several threads, from the beginning. */
  serveWithThreads(): Promise<RunningService> {
    return serve({ cwd: this.cwd, env: this.#env, threads: THREADS });
  }

  run(...args: readonly string[]): Promise<Outcome> {
    return run(args, { cwd: this.cwd, env: this.#env, program: [EXECUTABLE] });
  }

  /** What fails from now on, see disk.c. */
  setFaults(...faults: readonly string[]): void {
    setFaults(this.#faults, ...faults);
  }

  records(): DiskRecord[] {
    return [...readJournal(readFileSync(this.#journal))];
  }
}
