import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, type Outcome, run, runInTerminal, withoutProgress } from "../../harness/program/program.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { databaseMaker, withSql } from "../../harness/servers/postgres.ts";

const ANIMALS = 20_000;
const newDatabase = await databaseMaker();

/** Ids 1 to ANIMALS: every third one available, pending, sold; in 100 categories. */
const FILL = (series: string) => `INSERT INTO animals (name, category_id, status, folded_name)
  SELECT 'Animal ' || i, i % 100, CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END, 'animal ' || i
  FROM ${series}`;

interface TestStore {
  readonly cwd: string;
  readonly env: Record<string, string>;
  execute(sql: string): Promise<void>;
}

const stores: Record<string, () => Promise<TestStore>> = {
  async SQLite() {
    const cwd = temporaryFolder();
    await run(["migrate"], { cwd });
    const execute = async (sql: string) => {
      const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
      db.run(sql);
      db.close();
    };
    await execute(
      FILL(`(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ANIMALS}) SELECT i FROM n)`),
    );
    return { cwd, env: {}, execute };
  },
  async PostgreSQL() {
    const cwd = temporaryFolder();
    const url = await newDatabase();
    const env = { DATABASE_URL: url };
    await run(["migrate"], { cwd, env });
    const execute = (sql: string) => withSql(url, async (client) => void (await client.unsafe(sql)));
    await execute(FILL(`generate_series(1, ${ANIMALS}) AS i`));
    return { cwd, env, execute };
  },
};

const lineOf = (id: number): string =>
  `${id},Animal ${id},${id % 100},${["available", "pending", "sold"][id % 3] as string}`;
const ids = Array.from({ length: ANIMALS }, (_, i) => i + 1);
const HEADER = "id,name,categoryId,status";
const everything = `${[HEADER, ...ids.map(lineOf)].join("\n")}\n`;

for (const [name, open] of Object.entries(stores))
  describe(`animals export on ${name}`, async () => {
    const store = await open();
    const exportWith = (...args: string[]): Promise<Outcome> => run(["animals", "export", ...args], { ...store });
    const start = (...args: string[]) =>
      Bun.spawn([EXECUTABLE, "animals", "export", ...args], {
        cwd: store.cwd,
        env: { ...store.env },
        stdout: "pipe",
        stderr: "pipe",
      });

    test("prints all animals as CSV, and nothing else", async () => {
      expect(await exportWith()).toEqual({ exitCode: 0, out: everything, err: "" });
    });

    test("filters by status and category, as lists do", async () => {
      const linesOf = async (...args: string[]) => (await exportWith(...args)).out.split("\n").slice(1, -1);
      expect(await linesOf("--status", "sold")).toEqual(ids.filter((id) => id % 3 === 2).map(lineOf));
      expect(await linesOf("--category", "7")).toEqual(ids.filter((id) => id % 100 === 7).map(lineOf));
      expect(await linesOf("--category", "7", "--status", "pending")).toEqual(
        ids.filter((id) => id % 100 === 7 && id % 3 === 1).map(lineOf),
      );
      expect((await exportWith("--category", "-9223372036854775808")).out).toBe(`${HEADER}\n`);
    });

    test("writes a file for its owner alone, in the format that its name says, and says what is in it", async () => {
      const target = temporaryFolder();
      const file = join(target, "animals.ndjson.gz");
      const { exitCode, out, err } = await exportWith("--to", file, "--json");
      expect([exitCode, err]).toEqual([0, ""]);
      const content = await Bun.file(file).bytes();
      expect(JSON.parse(out)).toEqual({
        file,
        animals: ANIMALS,
        bytes: content.length,
        sha256: new Bun.CryptoHasher("sha256").update(content).digest("hex"),
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(target)).toEqual(["animals.ndjson.gz"]);
      const lines = gunzipSync(content).toString().split("\n");
      expect(lines[2]).toBe('{"id":3,"name":"Animal 3","categoryId":3,"status":"available"}');
      expect(lines).toHaveLength(ANIMALS + 1);
    });

    test("is a snapshot: what is written while it runs is not in it, nor half of it", async () => {
      const child = start();
      const reader = child.stdout.getReader();
      const chunks = [(await reader.read()).value as Uint8Array];
      // Its pipe is full, and most of it is still to be read from the database.
      await store.execute("UPDATE animals SET status = 'sold', name = 'changed'");
      await store.execute("DELETE FROM animals WHERE id > 19000");
      for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
      expect(await child.exited).toBe(0);
      expect(Buffer.concat(chunks).toString()).toBe(everything);
      expect((await exportWith()).out).toContain("\n19000,changed,0,sold\n");
      await store.execute("DELETE FROM animals");
      await store.execute(
        name === "SQLite"
          ? "DELETE FROM sqlite_sequence WHERE name = 'animals'"
          : "ALTER TABLE animals ALTER COLUMN id RESTART",
      );
      await store.execute(
        FILL(
          name === "SQLite"
            ? `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ANIMALS}) SELECT i FROM n)`
            : `generate_series(1, ${ANIMALS}) AS i`,
        ),
      );
      expect((await exportWith()).out).toBe(everything);
    });

    test("ends quietly when nobody reads it any more", async () => {
      const child = start();
      const reader = child.stdout.getReader();
      await reader.read();
      await reader.cancel();
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([141, ""]);
    });

    for (const signal of ["SIGINT", "SIGTERM"] as const)
      test(`stops at the end of a batch by ${signal}, and says that it is not complete`, async () => {
        const child = start();
        const reader = child.stdout.getReader();
        await reader.read();
        child.kill(signal);
        while (!(await reader.read()).done);
        expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
          130,
          "animal-store: stopped: what was written is not complete\n",
        ]);
      });
  });

describe("animals export", async () => {
  const store = await (stores.SQLite as () => Promise<TestStore>)();
  const exportWith = (...args: string[]): Promise<Outcome> => run(["animals", "export", ...args], { ...store });

  test("replaces no file, unless it is told to", async () => {
    const file = join(temporaryFolder(), "animals.csv");
    writeFileSync(file, "mine", { mode: 0o644 });
    const { exitCode, err } = await exportWith("--to", file);
    expect([exitCode, err]).toEqual([
      1,
      `animal-store: ${file} already exists: choose another file name, or give --force to replace it\n`,
    ]);
    expect(await Bun.file(file).text()).toBe("mine");
    expect((await exportWith("--to", file, "--force")).out).toMatch(
      /^Exported 20,000 animals to .*animals\.csv \([\d,]+ bytes\)\.\nSHA-256: [0-9a-f]{64}\n$/,
    );
    expect(await Bun.file(file).text()).toBe(everything);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  /** Returns the files in the folder after an export into it was ended by a signal while it was being written. */
  async function interrupted(signal: NodeJS.Signals): Promise<{ left: string[]; code: number | null; err: string }> {
    for (;;) {
      const outcome = await interruptOnce(signal);
      // It may have been done before the signal came.
      if (outcome.code !== 0) return outcome;
    }
  }

  async function interruptOnce(signal: NodeJS.Signals): Promise<{ left: string[]; code: number | null; err: string }> {
    const target = temporaryFolder();
    const command = [EXECUTABLE, "animals", "export", "--to", join(target, "animals.csv")];
    const child = Bun.spawn(command, { cwd: store.cwd, env: {}, stdout: "ignore", stderr: "pipe" });
    while (!readdirSync(target).some((file) => statSync(join(target, file), { throwIfNoEntry: false })?.size))
      await Bun.sleep(0);
    child.kill(signal);
    await child.exited;
    return {
      left: readdirSync(target),
      code: child.exitCode,
      err: withoutProgress(await new Response(child.stderr).text()),
    };
  }

  test("leaves no file behind when it is interrupted, and none under its name when it is killed", async () => {
    const { left, code, err } = await interrupted("SIGINT");
    expect([left, code, err]).toEqual([
      [],
      130,
      expect.stringMatching(/^animal-store: stopped: .*animals\.csv was not written\n$/),
    ]);
    expect((await interrupted("SIGKILL")).left).toEqual([expect.stringMatching(/^\.animals\.csv\..*\.partial$/)]);
  });

  test("says why it cannot write, and leaves nothing behind", async () => {
    const folder = temporaryFolder();
    expect((await exportWith("--to", join(folder, "none/x.csv"))).err).toBe(
      `animal-store: cannot write ${join(folder, "none/x.csv")}: there is no folder ${join(folder, "none")}: create it first\n`,
    );
    mkdirSync(join(folder, "folder"));
    expect((await exportWith("--to", join(folder, "folder"))).err).toContain("already exists");
    expect((await exportWith("--to", join(folder, "folder"), "--force")).err).toContain("cannot write");
    expect(readdirSync(folder)).toEqual(["folder"]);
    const full = await run(["-c", `ulimit -f 64; "${EXECUTABLE}" animals export --to "${folder}/big.csv"`], {
      ...store,
      program: ["sh"],
    });
    expect(full.exitCode).not.toBe(0);
    expect(existsSync(join(folder, "big.csv"))).toBe(false);
    const fullPipe = await run(["-c", `"${EXECUTABLE}" animals export > /dev/full`], { ...store, program: ["sh"] });
    expect([fullPipe.exitCode, fullPipe.err]).toEqual([1, expect.stringContaining("ENOSPC")]);
  });

  test("is misused with exit code 2", async () => {
    for (const [args, message] of [
      [["--format", "xml"], "The formats are csv, ndjson."],
      [["--format", "ndjsn"], "Did you mean ndjson?"],
      [["--status", "gone"], "The statuses are available, pending, sold."],
      [["--category", "9223372036854775808"], "whole number of 64 bits"],
      [["--json"], "needs '--to <file>'"],
      [["--force"], "needs '--to <file>'"],
      [["extra"], "too many arguments"],
    ] as const) {
      const { exitCode, out, err } = await exportWith(...args);
      expect([exitCode, out, err]).toEqual([2, "", expect.stringContaining(message)]);
    }
    const onTerminal = await runInTerminal(["animals", "export", "--gzip"], { ...store, columns: 80 });
    expect([onTerminal.exitCode, onTerminal.out]).toEqual([2, expect.stringContaining("not for a terminal")]);
    const help = await exportWith("--help");
    expect([help.exitCode, help.err]).toEqual([0, ""]);
    for (const option of ["--to", "--format", "--gzip", "--status", "--category", "--force", "--json"])
      expect(help.out).toContain(option);
  });

  test("makes no database where there is none", async () => {
    const cwd = temporaryFolder();
    const { exitCode, err } = await run(["animals", "export"], { cwd });
    expect([exitCode, err]).toEqual([1, expect.stringContaining("there is no database at")]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

test("the ending of a file name is a format, or one is given", async () => {
  const folder = temporaryFolder();
  await run(["migrate"], { cwd: folder });
  const exportTo = (...args: string[]) => run(["animals", "export", "--to", ...args], { cwd: folder });
  for (const name of ["e.xml", "e.json.gz", "a.csv.zip", "e.constructor"]) {
    const { exitCode, err } = await exportTo(name);
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining(`the file name ${name} ends neither in .csv nor in .ndjson`),
    ]);
    expect(existsSync(join(folder, name))).toBe(false);
  }
  for (const args of [["e.xml", "--format", "csv"], ["plain"], ["a.CSV"], ["b.jsonl.gz"], ["c.gz"]])
    expect((await exportTo(...args)).exitCode).toBe(0);
});
