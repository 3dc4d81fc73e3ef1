import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../../harness/folder.ts";
import {
  EXECUTABLE,
  issueBoundlessKey,
  postAnimal,
  run,
  runInTerminal,
  serve,
  withoutProgress,
} from "../../harness/program/program.ts";
import { stopWhen } from "../../harness/program/turns.ts";
import { databaseMaker, withSql } from "../../harness/servers/postgres.ts";
import { querySqlite } from "../../harness/service/stores.ts";

const newDatabase = await databaseMaker();

const stores: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await newDatabase() }),
};

const csvOf = (count: number, name = "Animal"): string =>
  `name,categoryId,status\n${Array.from({ length: count }, (_, i) => `${name} ${i},${i % 9},sold\n`).join("")}`;

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/** Until then, a signal ends a process as it does by default. */
async function untilHandled(pid: number, signal: keyof typeof SIGNAL_NUMBERS): Promise<void> {
  const bit = 1n << BigInt(SIGNAL_NUMBERS[signal] - 1);
  const caught = () => BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]}`);
  while ((caught() & bit) === 0n) await Bun.sleep(2);
}

type Storage = { readonly cwd: string; readonly env: Record<string, string> };

/** Reads from the database whether an import has added animals, which is quicker than by a command. */
async function hasAdded(file: string, { cwd, env }: Storage): Promise<boolean> {
  const statement = `SELECT added FROM imports WHERE source = '${file}' AND added > 0`;
  const rows = env.DATABASE_URL
    ? await withSql(env.DATABASE_URL, (sql) => sql.unsafe(statement))
    : querySqlite(join(cwd, "data/animal-store.db"), statement);
  return rows.length > 0;
}

/** SQLite gives up on a lock that it takes for a moment only, and that a process holds which was stopped meanwhile. */
const isHeldUp = (error: unknown): boolean => (error as { code?: string }).code === "SQLITE_PROTOCOL";

/** Stops an import after its first batches. */
const stopWhileAdding = (child: Subprocess, file: string, storage: Storage): Promise<void> =>
  stopWhen(child, () =>
    hasAdded(file, storage).catch((error) => {
      if (!isHeldUp(error)) throw error;
      return false;
    }),
  );

/** Runs the program with something on its standard input. */
async function runWith(
  input: string | Uint8Array,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
) {
  const child = Bun.spawn([EXECUTABLE, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...options.env },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, out, err };
}

for (const [name, open] of Object.entries(stores))
  describe(`animals import on ${name}`, async () => {
    const cwd = temporaryFolder();
    const env = await open();
    await run(["migrate"], { cwd, env });
    const cli = (...args: string[]) => run(args, { cwd, env });
    const json = async (...args: string[]) => JSON.parse((await cli(...args, "--json")).out);
    const write = (file: string, content: string | Uint8Array) => writeFileSync(join(cwd, file), content);
    const exported = async () => (await cli("animals", "export")).out.trimEnd().split("\n").slice(1);
    const failure = async (...args: string[]) => {
      const { exitCode, out, err } = await cli(...args);
      expect([exitCode, out]).toEqual([1, ""]);
      return err;
    };

    test("adds the animals of a file once, and undoes it once", async () => {
      expect((await cli("animals", "imports")).out).toContain("Nothing was imported yet.");
      write("pets.csv", 'name,categoryId\nRex,7\n"Mia, the cat",8\n');
      const { exitCode, out, err } = await cli("animals", "import", "pets.csv");
      expect([exitCode, out, err]).toEqual([
        0,
        "Import 1 has added 2 animals. To remove them again: animal-store animals undo 1\n",
        "",
      ]);
      expect(await exported()).toEqual(["1,Rex,7,available", '2,"Mia, the cat",8,available']);
      for (const more of [[], ["--dry-run"]])
        expect(await failure("animals", "import", "pets.csv", ...more)).toBe(
          "animal-store: pets.csv was imported already, by import 1, which has added 2 animals: to add them once more, give --again\n",
        );
      expect((await cli("animals", "import", "pets.csv", "--dry-run", "--again")).exitCode).toBe(0);
      expect(await json("animals", "import", "pets.csv", "--again")).toEqual({
        import: 2,
        animals: 2,
        added: 2,
        addedBefore: 0,
        rejected: 0,
        rejectedFile: null,
        unreported: 0,
        rejectedLinesFile: null,
        linesLeftOut: 0,
      });
      expect((await cli("animals", "undo", "--yes", "2")).out).toBe("Import 2 has been undone: 2 animals removed.\n");
      expect(await failure("animals", "undo", "--yes", "2")).toContain("import 2 was undone already, at ");
      expect(await failure("animals", "undo", "--yes", "9")).toBe(
        "animal-store: there is no import 9. To see all imports: animal-store animals imports\n",
      );
      expect((await json("animals", "imports")).map((each: { state: string }) => each.state)).toEqual([
        "undone",
        "finished",
      ]);
      expect((await cli("animals", "imports")).out).toMatch(
        /NUMBER +STATE +ADDED +OF +REMOVED +KEPT +BEGUN +FILE\n +2 +undone +2 +2 +2 +0 +\S+ \S+ +pets.csv\n +1 +finished/,
      );
      expect((await cli("animals", "undo", "--yes", "1", "--json")).out).toContain('"removed": 2');
      const journal = (await cli("journal")).out.trimEnd().split("\n");
      expect(journal.map((line) => line.split("  ").slice(2).join("  "))).toEqual([
        "animals import 1  source pets.csv, animals 2, added 2",
        "animals import 2  source pets.csv, animals 2, added 2",
        "animals undo 2  removed 2, kept 0",
        "animals undo 1  removed 2, kept 0",
      ]);
      expect(await exported()).toEqual([]);
    });

    test("reads standard input, which leaves nothing behind, and gzip of either format", async () => {
      const lines = gzipSync('{"name":"Piped","categoryId":1}\n');
      expect(await runWith(lines, ["animals", "import", "-"], { cwd, env })).toMatchObject({ exitCode: 0, err: "" });
      expect(await exported()).toHaveLength(1);
      const again = await runWith(lines, ["animals", "import", "-"], { cwd, env });
      expect([again.exitCode, again.err]).toEqual([
        1,
        expect.stringContaining("standard input was imported already, by import"),
      ]);
      const invalid = await runWith("name,categoryId\n,1\n", ["animals", "import", "-"], { cwd, env });
      expect([invalid.exitCode, invalid.err]).toEqual([1, expect.stringContaining("standard-input.rejected")]);
      expect(readFileSync(join(cwd, "standard-input.rejected"), "utf8")).toContain("line 2\t");
      const empty = await runWith("", ["animals", "import", "-"], { cwd, env });
      expect([empty.exitCode, empty.err]).toEqual([1, expect.stringContaining("standard input is empty")]);
      await cli("animals", "undo", "--yes", String((await json("animals", "imports"))[0].import));
    });

    /** The number of the import that a command says it has made. */
    const importIn = (out: string): string => /^Import (\d+)/.exec(out)?.[1] as string;

    test("one invalid line means that nothing is written, unless invalid ones are skipped", async () => {
      write("mixed.csv", "name,categoryId\nRex,7\n,8\nTom,x\nMia,9\n");
      const rejected = join(cwd, "mixed.csv.rejected");
      expect(await failure("animals", "import", "mixed.csv")).toBe(
        'animal-store: 2 of 4 lines are invalid, so nothing was written: line 3: "name" must not be empty or blank. All of them are in mixed.csv.rejected. Correct them, or leave them out with --skip-invalid\n',
      );
      expect(readFileSync(rejected, "utf8").split("\n").slice(1)).toEqual([
        'line 3\t"name" must not be empty or blank.',
        'line 4\t"categoryId" must be the number of a category or a name that one has, and none is called "x".',
        expect.stringMatching(/^# The lines are in mixed\.csv\.rejected\.csv, whose SHA-256 is [0-9a-f]{64}$/),
        "",
      ]);
      expect(readFileSync(`${rejected}.csv`, "utf8")).toBe("name,categoryId\n,8\nTom,x\n");
      expect(await exported()).toEqual([]);
      expect(await failure("animals", "import", "mixed.csv", "--dry-run")).toContain("2 of 4 lines are invalid");
      const skipped = await cli("animals", "import", "mixed.csv", "--skip-invalid", "--rejected", "other.txt");
      expect([skipped.exitCode, skipped.err]).toEqual([
        0,
        "2 lines rejected: see other.txt\nTo import them too, correct them in other.txt.csv, and import that file.\n",
      ]);
      expect((await exported()).map((line) => line.split(",")[1])).toEqual(["Rex", "Mia"]);
      // The lines are imported once they are mended; those that still are not go to files of their own.
      write("other.txt.csv", readFileSync(join(cwd, "other.txt.csv"), "utf8").replace("Tom,x", "Tom,10"));
      const mended = await cli("animals", "import", "other.txt.csv", "--skip-invalid");
      expect([mended.exitCode, readFileSync(join(cwd, "other.txt.csv.rejected.csv"), "utf8")]).toEqual([
        0,
        "name,categoryId\n,8\n",
      ]);
      expect((await exported()).map((line) => line.split(",")[1])).toEqual(["Rex", "Mia", "Tom"]);
      await cli("animals", "undo", "--yes", importIn(mended.out));
      expect(await failure("animals", "import", "mixed.csv", "--skip-invalid")).toContain("was imported already");
      write("mixed.csv", "name,categoryId\nRex,7\n");
      expect((await cli("animals", "import", "mixed.csv", "--dry-run")).out).toBe(
        "1 animal can be imported. Nothing was written.\n",
      );
      expect([existsSync(rejected), existsSync(`${rejected}.csv`)]).toEqual([false, false]);
      write("mixed.csv.rejected", "mine");
      write("mixed.csv", "name,categoryId\n,7\n");
      expect(await failure("animals", "import", "mixed.csv")).toContain(
        "mixed.csv.rejected already exists: move it away, or name another file for rejected lines with --rejected",
      );
      expect(readFileSync(rejected, "utf8")).toBe("mine");
      await cli("animals", "undo", "--yes", importIn(skipped.out));
    });

    test("says what one animal, one line, or none needs", async () => {
      write("one.csv", "name,categoryId\nOne,7\n");
      const { out } = await cli("animals", "import", "one.csv");
      expect(out).toMatch(/^Import \d+ has added 1 animal\. To remove it again: animal-store animals undo \d+\n$/);
      expect(await failure("animals", "import", "one.csv")).toContain("which has added 1 animal: to add it once more");
      await cli("animals", "undo", "--yes", /\d+/.exec(out)?.[0] as string);
      write("none.csv", "name,categoryId\n");
      const none = await cli("animals", "import", "none.csv");
      expect(none.out).toMatch(/^Import \d+ has added 0 animals\.\n$/);
      await cli("animals", "undo", "--yes", /\d+/.exec(none.out)?.[0] as string);
      write("bad.csv", "name,categoryId\n,7\n");
      expect(await failure("animals", "import", "bad.csv")).toBe(
        'animal-store: 1 of 1 line is invalid, so nothing was written: line 2: "name" must not be empty or blank. It is in bad.csv.rejected. Correct it, or leave it out with --skip-invalid\n',
      );
    });

    test("a stray quotation mark costs its own line, and a text of several lines is counted as such", async () => {
      write("stray.csv", `name,categoryId\n"Rex" the dog,1\n${"Good,1\n".repeat(1_000)}"a\nb\nc",1\n"Mia",2\n`);
      const { exitCode, err } = await cli("animals", "import", "stray.csv", "--skip-invalid");
      expect([exitCode, err]).toEqual([0, expect.stringMatching(/^4 lines rejected: see stray\.csv\.rejected\n/)]);
      const kept = `name,categoryId\n"Rex" the dog,1\n"a\nb\nc",1\n`;
      expect(readFileSync(join(cwd, "stray.csv.rejected.csv"), "utf8")).toBe(kept);
      const lines = readFileSync(join(cwd, "stray.csv.rejected"), "utf8").split("\n");
      expect(lines.slice(1, -2).map((line) => line.split("\t")[0])).toEqual(["line 2", "lines 1003-1005"]);
      expect(await exported()).toHaveLength(1_001);
      await cli("animals", "undo", "--yes", String((await json("animals", "imports"))[0].import));
    });

    test("a file that changes while it is imported: what was added is to be removed first", async () => {
      write("growing.csv", csvOf(30_000, "Growing"));
      const child = Bun.spawn([EXECUTABLE, "animals", "import", "growing.csv"], {
        cwd,
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
        stdout: "ignore",
        stderr: "pipe",
      });
      const isGrowing = ({ file }: { file: string }): boolean => file === "growing.csv";
      await stopWhileAdding(child, "growing.csv", { cwd, env });
      write("growing.csv", csvOf(30_001, "Grown"));
      child.kill("SIGCONT");
      const exitCode = await child.exited;
      const err = withoutProgress(await new Response(child.stderr).text());
      const { import: id, added: left } = (await json("animals", "imports")).find(isGrowing);
      expect([exitCode, err]).toEqual([
        1,
        `animal-store: growing.csv has changed since it was validated, when import ${id} had added ${left.toLocaleString("en")} animals: remove them with animal-store animals undo ${id}, and then import it again when nobody writes to it\n`,
      ]);
      expect((await json("animals", "undo", "--yes", String(id))).removed).toBe(left);
    });

    test("an export is restored with its ids, into a store without animals", async () => {
      write("old.csv", "id,name,categoryId,status\n5,Rex,7,sold\n900,Mia,8,pending\n");
      expect(await failure("animals", "import", "old.csv")).toBe(
        "animal-store: old.csv has ids, and the service assigns them: leave them out with --map name=name,categoryId=categoryId,status=status, or restore an export into an empty store with --keep-ids\n",
      );
      expect((await cli("animals", "import", "old.csv", "--keep-ids")).exitCode).toBe(0);
      expect(await exported()).toEqual(["5,Rex,7,sold", "900,Mia,8,pending"]);
      write("more.csv", "Who,Cat\nTom,9\n");
      expect((await cli("animals", "import", "more.csv", "--map", "name=Who,categoryId=Cat")).exitCode).toBe(0);
      expect(Number((await exported())[2]?.split(",")[0])).toBeGreaterThan(900);
      expect(await failure("animals", "import", "old.csv", "--keep-ids", "--again")).toContain(
        "there are animals in this store, and --keep-ids restores an export only into one without",
      );
      for (const { import: id } of (await json("animals", "imports")).slice(0, 2))
        await cli("animals", "undo", "--yes", String(id));
    });

    test("killed at random, it is continued, and nothing is doubled", async () => {
      const [count, kills] = [4_000, 12];
      /** Returns whether it was killed before its end. */
      async function importOrKill(file: string, mayKill: boolean): Promise<boolean> {
        const child = Bun.spawn([EXECUTABLE, "animals", "import", file], {
          cwd,
          env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
          stdout: "ignore",
          stderr: "pipe",
        });
        const timer = mayKill && setTimeout(() => child.kill("SIGKILL"), 40 + Math.random() * 200);
        const exitCode = await child.exited;
        if (timer) clearTimeout(timer);
        const err = withoutProgress(await new Response(child.stderr).text());
        // Killed after its last batch, it has nothing more to do.
        if (exitCode !== 137) expect(exitCode === 0 || err.includes("was imported already")).toBe(true);
        return exitCode === 137;
      }
      const expected: string[] = [];
      for (let killed = 0, file = 0; killed < kills; file++) {
        write(`${file}.csv`, csvOf(count, `Killed ${file}`));
        while (await importOrKill(`${file}.csv`, killed < kills)) killed++;
        expected.push(...Array.from({ length: count }, (_, i) => `Killed ${file} ${i}`));
      }
      expect((await exported()).map((line) => line.split(",")[1])).toEqual(expected);
      expect((await cli("doctor")).out).not.toContain("not so for");
      for (const { import: id, state, added } of await json("animals", "imports")) {
        if (state === "undone") continue;
        expect([state, added]).toEqual(["finished", count]);
        await cli("animals", "undo", "--yes", String(id));
      }
      expect(await exported()).toEqual([]);
    });

    test("Ctrl+C stops at the end of a batch, and says how to go on", async () => {
      write("stopped.csv", csvOf(30_000, "Stopped"));
      const child = Bun.spawn([EXECUTABLE, "animals", "import", "stopped.csv"], {
        cwd,
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
        stdout: "pipe",
        stderr: "pipe",
      });
      await stopWhileAdding(child, "stopped.csv", { cwd, env });
      child.kill("SIGINT");
      child.kill("SIGCONT");
      const err = withoutProgress(await new Response(child.stderr).text());
      expect([await child.exited, err]).toEqual([
        130,
        expect.stringMatching(/^animal-store: stopped import \d+: run the same command again to go on\n$/),
      ]);
      expect((await cli("animals", "import", "stopped.csv", "--dry-run")).out).toMatch(
        /^30,000 animals can be imported; [\d,]+ of them were added by an earlier run\. Nothing was written\.\n$/,
      );
      const { out } = await cli("animals", "import", "stopped.csv");
      expect(out).toMatch(/^Import \d+ has added 30,000 animals, [\d,]+ of them by an earlier run\./);
      const [latest] = await json("animals", "imports");
      expect(latest).toMatchObject({ state: "finished", added: 30_000 });
      rmSync(join(cwd, "stopped.csv"));
    });
  });

describe("animals import", () => {
  const cwd = temporaryFolder();
  const cli = (...args: string[]) => run(args, { cwd });

  test("help", async () => {
    const { exitCode, out } = await cli("animals", "import", "--help");
    expect(exitCode).toBe(0);
    for (const option of ["--map", "--dry-run", "--skip-invalid", "--again", "--keep-ids", "--rejected", "--json"])
      expect(out).toContain(option);
    expect((await cli("animals", "undo", "--help")).out).toContain("but none that orders refer to");
    expect((await cli("animals", "imports", "--help")).out).toContain("newest first");
  });

  test.each([
    [["animals", "import"], "missing required argument 'file'"],
    [["animals", "import", "x", "y"], "too many arguments"],
    [["animals", "import", "x", "--map", "nam=Name"], "Did you mean name?"],
    [["animals", "import", "x", "--map", "name"], "Say which column name is: name=Column."],
    [["animals", "import", "x", "--map", "name=A,name=B"], "It names name more than once."],
    [["animals", "import", "x", "--skip"], "unknown option"],
    [["animals", "undo"], "missing required argument 'import'"],
    [["animals", "undo", "one"], "The number of an import is a whole number from 1."],
    [["animals", "undo", "0"], "The number of an import is a whole number from 1."],
  ])("%j is misuse", async (args, message) => {
    const { exitCode, out, err } = await cli(...args);
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  test("no command makes a database, or reads what is not there", async () => {
    writeFileSync(join(cwd, "pets.csv"), csvOf(1));
    for (const args of [["import", "pets.csv"], ["undo", "1", "--yes"], ["imports"]]) {
      const { exitCode, err } = await cli("animals", ...args);
      expect([exitCode, err]).toEqual([1, expect.stringContaining("there is no database at")]);
    }
    await cli("migrate");
    for (const [file, message] of [
      ["nothing.csv", "cannot read nothing.csv: there is no such file"],
      [".", ". is a folder: name a file in it"],
    ] as const) {
      const { exitCode, err } = await cli("animals", "import", file);
      expect([exitCode, err]).toEqual([1, `animal-store: ${message}\n`]);
    }
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends it while it waits for input", async (signal) => {
    await cli("migrate");
    await Bun.$`mkfifo ${signal}.pipe`.cwd(cwd).quiet();
    for (const [file, stdin] of [
      ["-", "pipe"],
      [`${signal}.pipe`, "ignore"],
    ] as const) {
      const child = Bun.spawn([EXECUTABLE, "animals", "import", file], {
        cwd,
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
        stdin,
        stdout: "pipe",
        stderr: "pipe",
      });
      if (child.stdin) {
        child.stdin.write("name,categoryId\n");
        await child.stdin.flush();
      }
      await untilHandled(child.pid, signal);
      child.kill(signal);
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
        130,
        "animal-store: stopped: this run has added nothing\n",
      ]);
    }
  });

  test("a small file cannot make a report without end: it has 64 MiB, and says how many lines it lacks", async () => {
    await cli("migrate");
    const line = JSON.stringify({ name: 1, categoryId: "a", status: 9, unknown: 1 });
    writeFileSync(join(cwd, "bomb.ndjson.gz"), gzipSync(`${line}\n`.repeat(330_000)));
    const { exitCode, err } = await cli("animals", "import", "bomb.ndjson.gz", "--dry-run", "--skip-invalid");
    const report = readFileSync(join(cwd, "bomb.ndjson.gz.rejected"), "latin1");
    expect(report.length).toBeLessThan(65 * 1024 * 1024);
    const listed = report.split("\n").length - 4;
    const left = (330_000 - listed).toLocaleString("en-US");
    expect(report).toContain(`\n# ${left} more were rejected, for which there was no room here.\n`);
    const first = listed.toLocaleString("en-US");
    const said = `330,000 lines rejected: see bomb.ndjson.gz.rejected, which has room for the first ${first}\n`;
    expect([exitCode, err]).toEqual([0, expect.stringContaining(said)]);
    expect(statSync(join(cwd, "bomb.ndjson.gz.rejected.ndjson")).size).toBe(330_000 * (line.length + 1));
    const refused = await cli("animals", "import", "bomb.ndjson.gz");
    expect(refused.err).toContain(`The first ${first} are in bomb.ndjson.gz.rejected. Correct them`);
    rmSync(join(cwd, "bomb.ndjson.gz.rejected"));
  });

  test("lines of a pipe that are rejected need a file of their own", async () => {
    await cli("migrate");
    const command = `"${EXECUTABLE}" animals import <(printf 'name,categoryId\\na,x\\n')`;
    const child = Bun.spawn(["bash", "-c", command], {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toMatch(
      /^animal-store: cannot write \/dev\/fd\/\d+\.rejected: no file can be created in the folder \/dev\/fd\. To avoid this, name another file for rejected lines with --rejected\n$/,
    );
    expect(await child.exited).toBe(1);
  });

  test("a terminal shows a bar, and nothing of it is left behind", async () => {
    await cli("migrate");
    const bar = /import {2}█*░* +\d+ % {2}[\d,]+ of 20,000 animals/;
    // Work of less than half a second has no bar, so it is stopped for a while. It may have been over by then, or not
    // have reported its first batch yet: then it is tried again.
    for (let attempt = 1; attempt <= 20; attempt++) {
      const file = `many-${attempt}.csv`;
      // The same animals once more would be refused.
      writeFileSync(join(cwd, file), csvOf(20_000, `Animal of ${attempt}`));
      const delay = async (child: Subprocess) => {
        await stopWhileAdding(child, file, { cwd, env: {} });
        await Bun.sleep(600);
        child.kill("SIGCONT");
      };
      const { exitCode, out } = await runInTerminal(["animals", "import", file], {
        cwd,
        columns: 100,
        onStart: (child) => void delay(child),
      });
      expect([exitCode, out]).toEqual([0, expect.stringContaining("has added 20,000 animals")]);
      if (bar.test(out)) return;
    }
    throw new Error("no bar was shown");
  });

  test("beside a service with writers, all that is acknowledged and imported is there", async () => {
    const folder = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd: folder });
    const service = await serve({ cwd: folder });
    writeFileSync(join(folder, "pets.csv"), csvOf(3_000, "Imported"));
    const importing = run(["animals", "import", "pets.csv"], { cwd: folder });
    let isOver = false;
    void importing.then(() => {
      isOver = true;
    });
    let created = 0;
    const write = async () => {
      while (!isOver) if ((await postAnimal(service, secret, "Created")).status === 201) created++;
    };
    await Promise.all([write(), write(), write()]);
    expect(await importing).toMatchObject({ exitCode: 0 });
    await service.kill("SIGTERM");
    const { out } = await run(["animals", "export"], { cwd: folder });
    const names = out
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[1] as string);
    expect(created).toBeGreaterThan(0);
    expect(names.filter((name) => name === "Created")).toHaveLength(created);
    expect(new Set(names.filter((name) => name !== "Created")).size).toBe(3_000);
    expect(names).toHaveLength(3_000 + created);
  });
});
