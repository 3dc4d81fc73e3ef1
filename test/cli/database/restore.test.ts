import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isRunning } from "../../../src/store/files/partial-file.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { serve } from "../../harness/program/program.ts";
import { animalsIn, asideIn, command, copyOf, prepared, restore, type Store } from "../../harness/program/restore.ts";
import { canTrace } from "../../harness/program/trace.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";

const journalOf = (file: string): unknown[] => {
  const db = openDatabaseFile(file);
  try {
    return db.query("SELECT action, via, subject_kind, after FROM journal WHERE action = 'restore'").all();
  } finally {
    db.close();
  }
};

describe("restore", () => {
  test("puts a backup in the place of the database, keeps that one aside, and says how to go back", async () => {
    const { cwd, file, backup } = copyOf();
    const before = readFileSync(backup);
    const { exitCode, out, err } = await restore(backup, cwd);
    const [aside] = asideIn(cwd) as [string];
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out.split("\n").slice(0, 4)).toEqual([
      `Restored ${file} from ${backup}.`,
      `The old database is kept: ${aside}`,
      `To go back to it: animal-store restore ${aside}`,
      "Keys are those of the backup: what was issued, changed or revoked later is not in it.",
    ]);
    expect(readFileSync(backup).equals(before)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(cwd, "data")).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
    expect(await animalsIn(file)).toEqual(["Old"]);
    expect(journalOf(file)).toEqual([
      { action: "restore", via: "command", subject_kind: "store", after: JSON.stringify({ file: backup }) },
    ]);

    expect((await restore(aside, cwd)).exitCode).toBe(0);
    expect(await animalsIn(file)).toEqual(["Old", "New"]);
    expect(asideIn(cwd)).toHaveLength(2);
    const service = await serve({ cwd });
    await service.kill("SIGTERM");
  });

  test("makes a database where there is none, with its folder", async () => {
    const cwd = temporaryFolder();
    const { exitCode, out } = await restore(prepared.backup, cwd, ["--json"]);
    expect(exitCode).toBe(0);
    const file = join(cwd, "data/animal-store.db");
    expect(JSON.parse(out)).toEqual({
      file: prepared.backup,
      database: file,
      aside: null,
      schema: { number: expect.any(Number), isCurrent: true, needed: expect.any(Number) },
      isJournaled: true,
      operatorKey: null,
    });
    expect([statSync(file).mode & 0o777, statSync(join(cwd, "data")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await animalsIn(file)).toEqual(["Old"]);
  });

  test("where a log has lost its database, does not give it to the new one", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "data"));
    copyFileSync(`${prepared.file}-wal`, join(cwd, "data/animal-store.db-wal"));
    expect((await restore(prepared.backup, cwd)).exitCode).toBe(0);
    expect(await animalsIn(join(cwd, "data/animal-store.db"))).toEqual(["Old"]);
    const kept = readdirSync(join(cwd, "data")).filter((name) => name.endsWith("Z.db-wal"));
    expect(kept).toHaveLength(1);
  });

  test("says when the operator's key in its file is none of the backup's", async () => {
    const { cwd, file, backup } = copyOf();
    const keyFile = join(cwd, "data/animal-store.operator-key");
    writeFileSync(keyFile, "ask_unknown\n");
    const { out } = await restore(backup, cwd);
    expect(out).toContain(`The secret in ${keyFile} does not work: no key of this database has this secret`);
    expect(existsSync(file)).toBe(true);
  });

  test("says when the operator's key is revoked in the backup", async () => {
    const { cwd } = copyOf();
    const created = await command(["keys", "create", "--name", "gone", "--plan", "free", "--json"], cwd);
    const { id, secret } = JSON.parse(created.out);
    await command(["keys", "revoke", id, "--yes"], cwd);
    await command(["backup", "revoked.db"], cwd);
    const keyFile = join(cwd, "data/animal-store.operator-key");
    writeFileSync(keyFile, `${secret}\n`);
    const { out } = await restore(join(cwd, "revoked.db"), cwd);
    expect(out).toContain(`The secret in ${keyFile} does not work: ${id} was revoked.`);
  });

  test("signs everybody out of the console, also those who were in it when the backup was made", async () => {
    const { cwd, file, backup } = copyOf();
    const rows = (database: string, statement: string): unknown[] => {
      const db = openDatabaseFile(database);
      try {
        return db.query(statement).all();
      } finally {
        db.close(true);
      }
    };
    for (const table of ["console_links", "console_sessions"])
      rows(backup, `INSERT INTO ${table} VALUES ('digest', 'Anna', 9000000000000, 'operator')`);
    expect((await restore(backup, cwd)).exitCode).toBe(0);
    for (const table of ["console_links", "console_sessions"]) {
      expect(rows(file, `SELECT * FROM ${table}`)).toEqual([]);
      // A backup stays as it is.
      expect(rows(backup, `SELECT * FROM ${table}`)).toHaveLength(1);
    }
  });

  test("follows a symbolic link to the database, which stays one", async () => {
    const { cwd, file, backup } = copyOf();
    symlinkSync(file, join(cwd, "link.db"));
    const { exitCode } = await command(["restore", backup, "--yes"], cwd, { DATABASE_URL: "sqlite:link.db" });
    expect([exitCode, asideIn(cwd).length]).toEqual([0, 1]);
    expect(await animalsIn(join(cwd, "link.db"))).toEqual(["Old"]);
  });

  describe.skipIf(process.getuid?.() !== 0)("by root", () => {
    const SERVICE = { uid: 1234, gid: 4321 };

    /** A store of the service's user, and one of root that this user wants. */
    function storeOfService() {
      const store = copyOf();
      const folder = join(store.cwd, "data");
      chmodSync(store.cwd, 0o711);
      for (const path of [folder, store.file, `${store.file}-wal`]) chownSync(path, SERVICE.uid, SERVICE.gid);
      const wanted = join(store.cwd, "of-root.db");
      copyFileSync(store.backup, wanted);
      for (const path of [store.backup, wanted]) chmodSync(path, 0o600);
      return { ...store, folder, wanted };
    }

    /** Everything that may not change about a file of root. */
    const seen = (file: string) => existsSync(file) && { uid: statSync(file).uid, bytes: Bun.hash(readFileSync(file)) };

    test("leaves the database to whom it belonged, from a backup that only root can read", async () => {
      const { cwd, file, backup } = storeOfService();
      const { exitCode, err } = await restore(backup, cwd);
      expect([exitCode, err]).toEqual([0, ""]);
      expect(statSync(file)).toMatchObject(SERVICE);
      expect(await animalsIn(file)).toEqual(["Old"]);
    });

    test.skipIf(!canTrace).each([
      ["restore backup.db --yes", "of-root.db", "is as it was"],
      ["backup data/new.db", "none.db", "cannot back up"],
    ])("%s does not follow a link to %s in the place of the unfinished file", async (args, target, message) => {
      const { cwd, folder } = storeOfService();
      const wanted = join(cwd, target);
      const before = seen(wanted);
      const log = join(cwd, "strace");
      // It stops when it begins to write, and goes on when the link is there.
      const stop = ["-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=STOP:when=1"];
      const keepPid = ["sh", "-c", 'echo $$ > pid; exec "$@"', "sh"];
      const running = command(args.split(" "), cwd, {}, ["strace", "-f", "-o", log, ...stop, ...keepPid]);
      const stopped = () => existsSync(log) && readFileSync(log, "utf8").includes("stopped by SIGSTOP");
      while (!stopped()) await Bun.sleep(1);
      const partial = readdirSync(folder).find((name) => name.endsWith(".partial")) as string;
      rmSync(join(folder, partial));
      symlinkSync(wanted, join(folder, partial));
      // Each of its threads stops once.
      const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
      let isOver = false;
      running.finally(() => (isOver = true));
      for (; !isOver; await Bun.sleep(1)) if (isRunning(pid)) process.kill(pid, "SIGCONT");
      const { exitCode, err } = await running;
      expect(seen(wanted)).toEqual(before);
      expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
    });

    test("a backup in a folder of somebody else belongs to them, whosever the database is", async () => {
      const { cwd, folder } = storeOfService();
      const { exitCode, err } = await command(["backup", "data/new.db"], cwd, { DATABASE_URL: "sqlite:of-root.db" });
      expect([exitCode, err]).toEqual([0, ""]);
      const made = join(folder, "new.db");
      expect(statSync(made)).toMatchObject(SERVICE);
      expect(await animalsIn(made)).toEqual(["Old"]);
    });

    test("does not follow a link of the service's user to a database of somebody else", async () => {
      const { cwd, file, backup, wanted } = storeOfService();
      const before = seen(wanted);
      rmSync(file);
      symlinkSync(wanted, file);
      lchownSync(file, SERVICE.uid, SERVICE.gid);
      const { exitCode, err } = await restore(backup, cwd);
      expect(seen(wanted)).toEqual(before);
      expect([exitCode, err]).toEqual([1, expect.stringContaining(`${wanted} belongs to root, but `)]);
    });
  });

  test("restores an older schema as it is, and the next start migrates it", async () => {
    const { cwd, file } = copyOf();
    const old = join(cwd, "old.db");
    const sql = await Bun.file(join(import.meta.dir, "../../../src/store/migrations/sqlite/0001_initial.sql")).text();
    const db = openDatabaseFile(old);
    db.run(sql);
    db.run("PRAGMA application_id = 0x414e5354");
    db.run(
      "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    );
    db.run("INSERT INTO migrations VALUES (1, 'initial', ?, 0)", [
      new Bun.CryptoHasher("sha256").update(sql).digest("hex"),
    ]);
    db.run("INSERT INTO animals (name, category_id, status) VALUES ('Ancient', 1, 'available')");
    db.close(true);
    const { exitCode, out, err } = await restore(old, cwd);
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toMatch(/It has schema 1, and this version needs \d+: the next start migrates it\./);
    expect(out).toContain("The restore is not in the journal");
    const service = await serve({ cwd });
    await service.kill("SIGTERM");
    expect(await animalsIn(file)).toEqual(["Ancient"]);
  });

  test("replaces a damaged database, which is kept as it is", async () => {
    const { cwd, file, backup } = copyOf();
    writeFileSync(file, "x".repeat(8192));
    writeFileSync(`${file}-wal`, "");
    const { exitCode, err } = await restore(backup, cwd);
    expect([exitCode, err]).toEqual([0, ""]);
    expect(await animalsIn(file)).toEqual(["Old"]);
    expect(readFileSync(asideIn(cwd)[0] as string, "utf8")).toBe("x".repeat(8192));
  });

  test("replaces a database with the log of another one, and keeps both as they are", async () => {
    const { cwd, file, backup } = copyOf();
    copyFileSync(backup, file);
    const log = readFileSync(`${file}-wal`);
    expect((await command(["keys", "list"], cwd)).err).toContain("does not belong to");
    const { exitCode, err } = await restore(backup, cwd);
    expect([exitCode, err]).toEqual([0, ""]);
    expect(await animalsIn(file)).toEqual(["Old"]);
    const [aside] = asideIn(cwd) as [string];
    expect(readFileSync(aside).equals(readFileSync(backup))).toBe(true);
    expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true);
  });

  test.skipIf(!canTrace)("keeps a copy aside where the file system has no links", async () => {
    const { cwd, file, backup } = copyOf();
    const inject = ["strace", "-f", "-o", "/dev/null", "-e", "inject=link,linkat:error=EPERM"];
    expect((await command(["restore", backup, "--yes"], cwd, {}, inject)).exitCode).toBe(0);
    expect(await animalsIn(file)).toEqual(["Old"]);
    const [aside] = asideIn(cwd) as [string];
    expect([statSync(aside).mode & 0o777, await animalsIn(aside)]).toEqual([0o600, ["Old", "New"]]);
  });
});

describe("restore refuses, and changes nothing", () => {
  const refused = async (store: Store, file: string, message: string, args: readonly string[] = []): Promise<void> => {
    const before = readFileSync(store.file);
    const { exitCode, out, err } = await restore(file, store.cwd, args);
    expect([exitCode, out, err]).toEqual([1, "", expect.stringContaining(message)]);
    expect(readFileSync(store.file).equals(before)).toBe(true);
    expect(readdirSync(join(store.cwd, "data")).filter((name) => /before-restore|partial/.test(name))).toEqual([]);
  };

  test("while the database is served", async () => {
    const store = copyOf();
    const service = await serve({ cwd: store.cwd });
    await refused(store, store.backup, `another process is already serving ${store.file}: stop it first, then restore`);
    await service.kill("SIGTERM");
  });

  test("while a command uses it", async () => {
    const store = copyOf();
    const db = openDatabaseFile(store.file);
    db.run("BEGIN IMMEDIATE");
    await refused(store, store.backup, `another command is using data/animal-store.db: wait until it has ended`);
    db.run("ROLLBACK");
    expect(db.query("SELECT count(*) AS count FROM animals").get()).toEqual({ count: 2 });
    db.close();
  });

  test("what is no backup", async () => {
    const store = copyOf();
    const { cwd, file } = store;
    await refused(store, join(cwd, "none.db"), `there is no file ${join(cwd, "none.db")}: name a backup`);
    await refused(store, cwd, `${cwd} is not a file`);
    await refused(store, file, `${file} is the database itself`);
    symlinkSync(file, join(cwd, "same.db"));
    await refused(store, join(cwd, "same.db"), "is the database itself");
    writeFileSync(join(cwd, "letter.txt"), "Dear reader, this is no database. ".repeat(100));
    await refused(store, join(cwd, "letter.txt"), "file is not a database. Choose another backup");
    writeFileSync(join(cwd, "empty.db"), "");
    await refused(store, join(cwd, "empty.db"), "it is the database of another program");
    const foreign = openDatabaseFile(join(cwd, "foreign.db"));
    foreign.run("CREATE TABLE invoices (id INTEGER)");
    foreign.close(true);
    await refused(store, join(cwd, "foreign.db"), "it is the database of another program");
  });

  test("a backup with a log that is not its own", async () => {
    const store = copyOf();
    copyFileSync(`${prepared.file}-wal`, `${store.backup}-wal`);
    await refused(store, store.backup, `${store.backup}-wal does not belong to ${store.backup}`);
  });

  test("a backup that is damaged, also by --force", async () => {
    const store = copyOf();
    const bytes = readFileSync(store.backup);
    writeFileSync(store.backup, bytes.fill(0x55, 4096, bytes.length - 4096));
    await refused(store, store.backup, "Choose another backup", ["--force"]);
    writeFileSync(store.backup, readFileSync(prepared.backup).subarray(0, 20_000));
    await refused(store, store.backup, "Choose another backup", ["--force"]);
  });

  test("a schema that it does not know", async () => {
    const store = copyOf();
    const db = openDatabaseFile(store.backup);
    db.run("INSERT INTO migrations (number, name, digest, applied_at) VALUES (99, 'later', 'x', 0)");
    db.close(true);
    await refused(store, store.backup, "the database has schema 99, which needs a version that knows schema 99");
  });

  test("rows that break the rules, but not by --force", async () => {
    const store = copyOf();
    const db = openDatabaseFile(store.backup);
    db.run("UPDATE animals SET folded_name = 'not this'");
    db.close(true);
    await refused(store, store.backup, "is not sound (animals are found by their names: ");
    expect((await restore(store.backup, store.cwd, ["--force"])).exitCode).toBe(0);
  });

  test("a backup with triggers that act for somebody else, also by --force; a start and doctor refuse them too", async () => {
    const store = copyOf();
    for (const file of [store.backup, store.file]) {
      const db = openDatabaseFile(file);
      db.run(
        "CREATE TRIGGER back AFTER DELETE ON console_sessions BEGIN INSERT INTO console_sessions VALUES (OLD.digest, OLD.name, OLD.expires_at, OLD.role); END",
      );
      db.run("CREATE TRIGGER mute BEFORE INSERT ON journal BEGIN SELECT RAISE(IGNORE); END");
      db.close(true);
    }
    const parts = 'no version of this program has made the trigger "back", the trigger "mute"';
    await refused(store, store.backup, `${parts}. Choose another backup`, ["--force"]);
    const started = await command(["serve"], store.cwd, { PORT: "0" });
    expect([started.exitCode, started.err]).toEqual([
      1,
      expect.stringContaining(`${parts}: restore a backup that you`),
    ]);
    const checked = await command(["doctor"], store.cwd);
    expect([checked.exitCode, checked.out]).toEqual([1, expect.stringContaining(`${parts}\n`)]);
  });

  test.skipIf(!Bun.which("prlimit"))("when the disk is full", async () => {
    const store = copyOf();
    const full = ["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=50000 "$@"', "sh"];
    const { exitCode, err } = await command(["restore", store.backup, "--yes"], store.cwd, {}, full);
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^animal-store: cannot restore .* is as it was\n$/)]);
    expect(readdirSync(join(store.cwd, "data")).filter((name) => /before-restore|partial/.test(name))).toEqual([]);
    expect(await animalsIn(store.file)).toEqual(["Old", "New"]);
    const env = { DATABASE_URL: "sqlite:new/below/a.db" };
    expect((await command(["restore", store.backup, "--yes"], store.cwd, env, full)).exitCode).toBe(1);
    expect(readdirSync(store.cwd)).not.toContain("new");
  });

  test("a PostgreSQL database, which is for pg_restore", async () => {
    const env = { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/a" };
    const { exitCode, err } = await command(["restore", prepared.backup, "--yes"], prepared.cwd, env);
    expect([exitCode, err]).toEqual([1, expect.stringContaining("use pg_restore for PostgreSQL")]);
    expect(err).not.toContain("hunter2");
  });

  test("misused, with exit code 2", async () => {
    for (const args of [[], ["a.db", "b.db"], ["a.db", "--forse"]])
      expect((await command(["restore", ...args], prepared.cwd)).exitCode).toBe(2);
    const { exitCode, out } = await command(["restore", "--help"], prepared.cwd);
    expect([exitCode, out]).toEqual([0, expect.stringContaining("--force")]);
  });
});
