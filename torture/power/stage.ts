import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, type Outcome, type RunningService, run, serve } from "../../test/harness/program/program.ts";
import { JournaledDisk } from "../disk/disk.ts";
import { type DiskRecord, readJournal } from "../disk/journal.ts";
import { diskEnvironment, setFaults } from "../disk/layer.ts";

/** The path of the database, relative to the service's working directory. */
export const DATABASE = "data/animal-store.db";
export const OPERATOR_KEY = "data/animal-store.operator-key";
/** Several threads, because all of them must close their connections after a failed sync. */
const THREADS = 4;

/** A folder whose changes are all journaled, and the program that runs on it. */
export class Stage {
  readonly cwd = temporaryFolder();
  /** The disk before the first journaled change. cutPower() applies the rest. */
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

  /** The length of the journal, as a timestamp. */
  readonly now = (): number => statSync(this.#journal).size;

  serve(env: Record<string, string> = {}): Promise<RunningService> {
    return serve({ cwd: this.cwd, env: { ...this.#env, ...env } });
  }

  /** Serves with several threads from the start. */
  serveWithThreads(): Promise<RunningService> {
    return serve({ cwd: this.cwd, env: this.#env, threads: THREADS });
  }

  run(...args: readonly string[]): Promise<Outcome> {
    return run(args, { cwd: this.cwd, env: this.#env, program: [EXECUTABLE] });
  }

  /** Replaces the list of faults, see disk.c. */
  setFaults(...faults: readonly string[]): void {
    setFaults(this.#faults, ...faults);
  }

  records(): DiskRecord[] {
    return [...readJournal(readFileSync(this.#journal))];
  }
}
