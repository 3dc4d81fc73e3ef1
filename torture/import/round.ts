import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Random } from "../common/random.ts";
import type { FoundAnimal } from "../ledger/contents.ts";
import { anyStrike, type Ending, runAndStrike, type Strike } from "./command.ts";
import { animalsIn, type ImportFile, invalidLinesOf, mistakesIn } from "./file.ts";
import type { ImportRow } from "./place.ts";
import type { Shop } from "./shop.ts";

/** The extent of a round with one file. */
export interface Effort {
  readonly records: number;
  /** The most kills of one command, which is then left to finish. */
  readonly mostKills: number;
  /** The longest delay of a strike that does not wait for the work to begin. */
  readonly longestMs: number;
}

/** The number of orders placed at a time. */
const ORDERS = 5;

/** Imports and undoes one file with commands that are killed again and again, and checks the invariants meanwhile. */
export class Round {
  /** The newest import before the current one. Higher ids belong to the current import. */
  #olderThan = 0;
  /** The file's animals at the last check. */
  #found = new Map<string, FoundAnimal[]>();
  /** Handles of imported animals that were ordered, and so must survive an undo. */
  readonly #ordered = new Set<string>();

  constructor(
    private readonly shop: Shop,
    private readonly file: ImportFile,
    private readonly random: Random,
    private readonly effort: Effort,
  ) {}

  async play(): Promise<void> {
    const { random } = this;
    this.#olderThan = (await this.shop.place.newestImport())?.id ?? 0;
    // An unfinished import can be undone, too, and then be imported from the beginning.
    if (random.chance(0.3) && !(await this.#import(random.int(1, 3), false))) {
      const begun = await this.#current();
      if (begun) {
        await this.#undo(begun, random.int(0, 2), false);
        this.#olderThan = begun.id;
      }
    }
    if ((await this.#current())?.finishedAt == null) await this.#import(random.int(1, this.effort.mostKills), true);
    const finished = await this.#checkFinished();
    if (!finished) return;
    await this.#order(() => false);
    await this.#undo(finished, random.int(0, this.effort.mostKills), true);
    for (const handle of this.#ordered) this.shop.kept.add(handle);
  }

  async #current(): Promise<ImportRow | undefined> {
    const newest = await this.shop.place.newestImport();
    return newest && newest.id > this.#olderThan ? newest : undefined;
  }

  get #importArgs(): readonly string[] {
    return ["animals", "import", this.file.isPiped ? "-" : basename(this.file.path), "--skip-invalid"];
  }

  /** Imports the file with this many strikes, and then, if asked to, to its end. Returns true if it was finished. */
  async #import(strikes: number, toTheEnd: boolean): Promise<boolean> {
    const { board } = this.shop;
    const share = async () => {
      const current = await this.#current();
      return current ? current.recordsDone / current.records : -1;
    };
    for (let i = 0; i < strikes || toTheEnd; i++) {
      const before = (await this.#current())?.recordsDone ?? 0;
      const strike = i < strikes ? anyStrike(this.random, this.effort.longestMs) : undefined;
      const rival = this.random.chance(0.15) ? () => this.#rival() : undefined;
      const ending = await this.shop.whileOpen(() => this.#run(this.#importArgs, strike, share), rival);
      const current = await this.#checkImporting();
      if (ending.exitCode === 0 || ending.err.includes("was imported already")) return true;
      const isOvertaken = rival && ending.err.includes("by another process");
      if (!isEnded(ending) && !isOvertaken)
        throw new Error(`import ${this.file.path}: ${ending.exitCode} ${ending.err}`);
      if (!rival && ending.err.includes("nothing was written"))
        board.check((current?.recordsDone ?? 0) === before, "an import that was stopped has written something");
    }
    return false;
  }

  #importOnceMore() {
    return this.shop.command("animals", "import", basename(this.file.path), "--skip-invalid");
  }

  /** Imports the same file twice at the same time: it must be imported once. */
  async #rival(): Promise<void> {
    const { exitCode, err } = await this.#importOnceMore();
    const isRight = exitCode === 0 || /was imported already|by another process/.test(err);
    this.shop.board.check(isRight, () => `a second import at the same time ended with ${exitCode} ${err}`);
    this.shop.board.count("imports at the same time");
  }

  async #undo({ id }: ImportRow, strikes: number, areOrdered: boolean): Promise<void> {
    const share = async () => {
      const current = await this.shop.place.newestImport();
      return current ? (current.removed + current.kept) / Math.max(1, current.added) : -1;
    };
    for (let i = 0; ; i++) {
      const strike = i < strikes ? anyStrike(this.random, this.effort.longestMs) : undefined;
      const ending = await this.shop.whileOpen(
        () => this.#run(["animals", "undo", String(id), "--yes"], strike, share),
        areOrdered ? (isOver) => this.#order(isOver) : undefined,
      );
      await this.#checkUndoing();
      if (ending.exitCode === 0 || ending.err.includes("was undone already")) break;
      if (!isEnded(ending)) throw new Error(`undo ${id}: ${ending.exitCode} ${ending.err}`);
    }
    await this.#checkUndone(id);
  }

  async #run(args: readonly string[], strike: Strike | undefined, share: () => Promise<number>): Promise<Ending> {
    const { cwd, place, board } = this.shop;
    const input = this.file.isPiped ? { input: this.file.path } : {};
    const ending = await runAndStrike(args, { cwd, env: place.env, ...input, strike, share });
    const [, command] = args;
    if (ending.struck) {
      board.count("kills");
      board.count(`kills of ${command}, by ${ending.struck}`);
      if (ending.moment && !place.env.DATABASE_URL) board.count(`kills ${ending.moment}`);
    } else board.count(`${command} came to its end`);
    return ending;
  }

  async #check(where: string): Promise<Map<string, FoundAnimal[]>> {
    this.#found = await this.shop.check(this.file, where);
    return this.#found;
  }

  /** The database has exactly what the import's row says, whatever happened to its process. */
  async #checkImporting(): Promise<ImportRow | undefined> {
    const { board } = this.shop;
    const where = `${this.file.label}, while it is imported`;
    const found = await this.#check(where);
    const current = await this.#current();
    const recordsDone = current?.recordsDone ?? 0;
    if (recordsDone > 0 && current?.finishedAt == null) board.count("found half-way");
    const [mistake, ...more] = mistakesIn(this.file, found, recordsDone);
    board.check(mistake === undefined, () => `${where}: ${mistake}, and ${more.length} more`);
    const expected = animalsIn(this.file, recordsDone);
    const added = current?.added ?? 0;
    board.check(found.size === expected, () => `${where}: ${found.size} animals instead of ${expected}`);
    board.check(added === expected, () => `${where}: the import says ${added} instead of ${expected}`);
    if (this.random.chance(0.3)) await this.#checkCommandTells(current);
    return current;
  }

  /** `animals imports` shows what the database has. */
  async #checkCommandTells(current: ImportRow | undefined): Promise<void> {
    const { exitCode, out, err } = await this.shop.command("animals", "imports", "--json");
    const { board } = this.shop;
    if (!board.check(exitCode === 0, () => `animals imports failed: ${err}`)) return;
    const told = (JSON.parse(out) as { import: number; added: number; removed: number; state: string }[])[0];
    if (!current) return void board.check((told?.import ?? 0) <= this.#olderThan, () => `animals imports says ${out}`);
    const isUndoing = current.removed + current.kept > 0;
    const states = isUndoing
      ? [current.undoneAt == null ? "being undone" : "undone"]
      : [current.finishedAt == null ? "unfinished" : "finished", "being undone", "undone"];
    const isTrue =
      told?.import === current.id &&
      told.added === current.added &&
      told.removed === current.removed &&
      states.includes(told.state);
    board.check(isTrue, () => `animals imports says ${JSON.stringify(told)}, and there is ${JSON.stringify(current)}`);
    board.count("lists of imports compared");
  }

  /** The whole file is imported, its invalid lines are reported, and it is not imported twice. */
  async #checkFinished(): Promise<ImportRow | undefined> {
    const { board, cwd } = this.shop;
    const current = await this.#current();
    const isFinished = current?.finishedAt != null && current.recordsDone === this.file.records.length;
    if (!board.check(isFinished, () => `${this.file.path} was imported, but ${JSON.stringify(current)}`))
      return undefined;
    const again = await this.#importOnceMore();
    const isRefused = again.exitCode === 1 && again.err.includes("was imported already");
    board.check(isRefused, () => `a second import was not refused: ${again.exitCode} ${again.out}${again.err}`);
    const rejected = join(cwd, `${basename(this.file.path)}.rejected`);
    const named = existsSync(rejected)
      ? [...readFileSync(rejected, "utf8").matchAll(/^line (\d+)\t/gm)].map(([, line]) => Number(line))
      : [];
    const invalid = invalidLinesOf(this.file);
    board.check(String(named) === String(invalid), () => `${rejected} names ${named} instead of ${invalid}`);
    board.count("imports finished");
    return current;
  }

  /** Orders imported animals, even while they are being removed: an animal with a placed order stays. */
  async #order(isOver: () => boolean): Promise<void> {
    const available = [...this.#found].filter(([, [animal]]) => animal?.status === "available");
    for (const [handle, [animal]] of this.random.shuffle(available).slice(0, ORDERS)) {
      if (isOver()) return;
      if (animal && (await this.shop.order(animal.id))) this.#ordered.add(handle);
      await Bun.sleep(this.random.int(0, 10));
    }
  }

  /** Exactly the animals that the undo reports are gone, and none that was ordered. */
  async #checkUndoing(): Promise<void> {
    const { board } = this.shop;
    const where = `${this.file.label}, while it is undone`;
    const found = await this.#check(where);
    const current = await this.#current();
    const [added, removed] = [current?.added ?? 0, current?.removed ?? 0];
    board.check(
      found.size === added - removed,
      () => `${where}: ${found.size} of ${added}, and ${removed} were removed`,
    );
    for (const handle of this.#ordered)
      board.check(found.get(handle)?.length === 1, () => `${where}: ${handle} was ordered, and is gone`);
    if (removed > 0 && current?.undoneAt == null) board.count("found half undone");
    if (this.random.chance(0.3)) await this.#checkCommandTells(current);
  }

  async #checkUndone(id: number): Promise<void> {
    const { board } = this.shop;
    const found = this.#found;
    const isExact = found.size === this.#ordered.size && [...found.keys()].every((handle) => this.#ordered.has(handle));
    board.check(isExact, () => `after undo ${id}, there are ${[...found.keys()]} instead of ${[...this.#ordered]}`);
    const current = await this.#current();
    const isTold = current?.undoneAt != null && current.kept === this.#ordered.size;
    board.check(
      isTold,
      () => `after undo ${id}, it says ${JSON.stringify(current)}, and ${this.#ordered.size} were ordered`,
    );
    board.count("imports undone");
    board.count("kept, because ordered", this.#ordered.size);
  }
}

/** Checks that the command ended by its strike: killed, or stopped with the exit code of Ctrl+C. */
const isEnded = ({ struck, exitCode }: Ending): boolean =>
  (struck === "SIGKILL" && exitCode === 137) || (struck === "SIGINT" && exitCode === 130);
