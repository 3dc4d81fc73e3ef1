import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import type { Version } from "../../ports/store.ts";
import { openForWriting, openShared } from "../file/database.ts";
import type { Write } from "../tables/write.ts";
import { groupCommit } from "../writer/group-commit.ts";
import { mapWalIndex, walIndexAt } from "./index.ts";
import {
  type CommitNote,
  followVersion,
  type NoteCommit,
  newCommitNote,
  noteCommits,
  versionByPragma,
} from "./version.ts";

/** The positions of a state's words in the head. */
const [CHANGE, CHECKSUM_1, CHECKSUM_2] = [2, 10, 11];

const folder = temporaryFolder();

const INSERT = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'sold')";

/** Runs statements on a file in another process, as any program may. */
function elsewhere(path: string, ...statements: string[]): void {
  const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(path)});
    for (const sql of ${JSON.stringify(statements)}) db.run(sql); db.close();`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
}

function headOf(path: string): Uint32Array {
  const address = mapWalIndex(path);
  if (address === undefined) throw new Error("the WAL index cannot be mapped");
  return walIndexAt(address);
}

const versionOf = (path: string, note: CommitNote = newCommitNote()) => followVersion(headOf(path), note);

async function changesSeen(name: string, versionFor: (db: Database, path: string) => () => Version | undefined) {
  const path = join(folder, name);
  const db = await openShared(path);
  const beside = await openShared(path);
  const version = versionFor(db, path);
  const changes = (work: () => void): boolean => {
    const before = version();
    work();
    const after = version();
    expect(version()).toBe(after as Version);
    return before?.changes !== after?.changes;
  };
  const seen = {
    "a read": changes(() => void db.query("SELECT * FROM animals").all()),
    "a write beside": changes(() => void beside.run(INSERT)),
    "a write of another process": changes(() => elsewhere(path, INSERT)),
    "a write after a checkpoint": changes(() => elsewhere(path, "PRAGMA wal_checkpoint(TRUNCATE)", INSERT)),
    "many writes": changes(() => elsewhere(path, ...Array(50).fill(INSERT))),
  };
  beside.close();
  db.close();
  return seen;
}

const WRITES_ONLY = {
  "a read": false,
  "a write beside": true,
  "a write of another process": true,
  "a write after a checkpoint": true,
  "many writes": true,
};

describe("the version", () => {
  test("changes with every commit, by any process", async () => {
    expect(await changesSeen("index.db", (_, path) => versionOf(path))).toEqual(WRITES_ONLY);
  });

  test("does so even where the WAL index cannot be mapped", async () => {
    expect(mapWalIndex(join(folder, "none.db"))).toBeUndefined();
    expect(await changesSeen("pragma.db", versionByPragma)).toEqual(WRITES_ONLY);
  });

  test.if(process.platform === "linux")("is read without releasing any lock that SQLite holds", async () => {
    const path = join(folder, "locks.db");
    const db = await openShared(path);
    const { ino } = statSync(`${path}-shm`);
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).length;
    const before = locks();
    expect(before).toBeGreaterThan(0);
    versionOf(path)();
    expect(locks()).toBe(before);
    db.close();
  });

  test("misses no commit, and is never the same after two", async () => {
    const path = join(folder, "each.db");
    const db = await openShared(path);
    const version = versionOf(path);
    const versions = Array.from({ length: 3_000 }, () => {
      db.run(INSERT);
      return version()?.changes;
    });
    expect(new Set(versions).size).toBe(3_000);
    db.close();
  });
});

const CREATE: Write = ["animals.create", { name: "Rex", categoryId: 7n, status: "sold" }, undefined];
const REVOKE: Write = ["keys.revoke", { keyId: "key_unknown", atMs: 0 }, undefined];
const NAME: Write = ["categories.put", { id: 7n, name: "Dogs", precondition: undefined }, undefined];
const NONE_EXPIRED: Write = ["maintenance.deleteSavedResponses", { savedAtMs: 0 }, undefined];
const FAIL: Write = ["keys.rotate", { keyId: "key_unknown", digest: "d", atMs: 0, oldSecretsExpireAtMs: 0 }, undefined];

/** A writer that notes its commits, another connection, and what follows the version. */
async function writingTo(name: string) {
  const path = join(folder, name);
  const other = await openShared(path);
  const db = openForWriting(path);
  const note = newCommitNote();
  /** Runs when a commit can be seen and is not noted yet. */
  const between = { run: () => {} };
  const start = () => {
    const noteCommit = noteCommits(headOf(path), note, db);
    const interrupted: NoteCommit = (effect, transaction) =>
      noteCommit(effect, () => {
        const result = transaction();
        between.run();
        return result;
      });
    return groupCommit(db, { noteCommit: interrupted });
  };
  let write = start();
  const close = () => {
    db.close();
    other.close();
  };
  return {
    path,
    other,
    db,
    note,
    between,
    version: versionOf(path, note),
    write: (...writes: Write[]) => void write(writes),
    replaceWriter() {
      write = start();
    },
    close,
  };
}

/** All that replies are made of, by a connection that keeps nothing. */
function contentOf(db: Database) {
  const text = (sql: string) =>
    db
      .query(sql)
      .values()
      .map((row) => row.join(" "));
  return { animals: text("SELECT * FROM animals ORDER BY id"), rest: text("SELECT * FROM categories ORDER BY id") };
}

/** A thread that looks now and then, and remembers what it saw with each version. */
class Looker {
  readonly #exact = new Map<Version, ReturnType<typeof contentOf>>();
  readonly #first = new Map<number, ReturnType<typeof contentOf>>();
  #last: Version | undefined;
  /** The actions since that version was first seen. */
  since: string[] = [];

  constructor(
    readonly version: () => Version | undefined,
    private readonly db: Database,
  ) {}

  /** Everything cached that the version declares valid must still be true. */
  look(keeping: { readonly all: ReadonlySet<string>; readonly settled: ReadonlySet<string> }): void {
    const version = this.version();
    if (version === undefined) return;
    const content = contentOf(this.db);
    expect(this.#exact.get(version) ?? content).toEqual(content);
    const { animals, rest } = this.#first.get(version.changes) ?? content;
    expect({ animals: content.animals.slice(0, animals.length), rest: content.rest }).toEqual({ animals, rest });
    this.#exact.set(version, content);
    this.#first.set(version.changes, { animals, rest });
    // After a commit of others, the next one of the writer is a change too.
    if (this.#last && this.#last.changes > 0) {
      if (this.since.every((step) => keeping.all.has(step))) expect(version).toBe(this.#last);
      if (this.since.every((step) => keeping.all.has(step) || keeping.settled.has(step)))
        expect(version.changes).toBe(this.#last.changes);
    }
    if (version !== this.#last) this.since = [];
    this.#last = version;
  }
}

describe("the version of a writer that notes its commits", () => {
  test("keeps what cannot have changed and nothing else, whatever happens between two looks", async () => {
    const { path, other, db, note, between, close, ...writer } = await writingTo("random.db");
    let number = 0;
    let isLost = false;
    const replaceWriter = () => {
      writer.replaceWriter();
      isLost = false;
    };
    /** A writer that was lost writes nothing more: the next write starts another. */
    const write = (...writes: Write[]) => {
      if (isLost) replaceWriter();
      writer.write(...writes);
    };
    const change = () => void other.run(`UPDATE animals SET category_id = ${++number} WHERE id % 3 = ${number % 3}`);
    /** A commit that is seen, and never noted. */
    const loseWriter = (step: Write) => {
      let atItsEnd = new Uint32Array();
      between.run = () => {
        atItsEnd = Uint32Array.from(note);
      };
      write(step);
      note.set(atItsEnd);
      isLost = true;
    };
    const naming = (): Write => [
      "categories.put",
      { id: 7n, name: `Dogs ${++number}`, precondition: undefined },
      undefined,
    ];
    const actions = {
      bookkeeping: () => write(REVOKE),
      "bookkeeping that changes nothing": () => write(NONE_EXPIRED),
      addition: () => write(CREATE),
      "additions with bookkeeping": () => write(REVOKE, CREATE, CREATE),
      "a checkpoint, after which the log begins again": () => void db.run("PRAGMA wal_checkpoint(PASSIVE)"),
      change: () => write(naming()),
      "change with additions": () => write(CREATE, naming(), REVOKE),
      "a write that fails": () => write(FAIL),
      "writes of which one fails": () => write(CREATE, FAIL, CREATE),
      "a log that begins at once": () => void db.run("PRAGMA wal_checkpoint(RESTART)"),
      "a log that others begin": () => void other.run("PRAGMA wal_checkpoint(TRUNCATE)"),
      "bookkeeping of others": () => void other.run("UPDATE key_revision SET revision = revision + 1"),
      "change by others": change,
      "addition by others": () => void other.run(INSERT),
      "change by others before a commit is noted": () => {
        between.run = change;
        write(CREATE);
      },
      "change by others before a commit of nothing is noted": () => {
        between.run = change;
        write(NONE_EXPIRED);
      },
      "a writer that is lost after a change": () => loseWriter(naming()),
      "a writer that is lost after an addition": () => loseWriter(CREATE),
      "another writer": replaceWriter,
    };
    type Action = keyof typeof actions;
    const keeping = {
      all: new Set<string>([
        "bookkeeping",
        "bookkeeping that changes nothing",
        "a checkpoint, after which the log begins again",
      ] satisfies Action[]),
      settled: new Set<string>(["addition", "additions with bookkeeping"] satisfies Action[]),
    };
    other.run(INSERT);
    const names = Object.keys(actions) as Action[];
    const steps = fc.array(
      fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom(...names) },
        // These are what goes on most of the time.
        { weight: 1, arbitrary: fc.constantFrom<Action>("bookkeeping", "addition") },
        { weight: 2, arbitrary: fc.record({ looker: fc.nat(2), isEarly: fc.boolean() }) },
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, (steps) => {
        other.run("DELETE FROM animals WHERE id > 5");
        const lookers = Array.from({ length: 3 }, () => new Looker(versionOf(path, note), other));
        for (const step of [...steps, ...lookers.map((_, looker) => ({ looker, isEarly: false }))]) {
          between.run = () => {};
          if (typeof step === "string") {
            actions[step]();
            for (const { since } of lookers) since.push(step);
          } else if (step.isEarly) {
            const early: unknown[] = [];
            between.run = () => {
              early.push((lookers[step.looker] as Looker).version());
            };
            write(CREATE);
            expect(early).toEqual([undefined]);
            for (const { since } of lookers) since.push("addition");
          } else (lookers[step.looker] as Looker).look(keeping);
        }
        replaceWriter();
      }),
      { numRuns: 300 },
    );
    close();
  });

  test("is the same for a thread that has slept through a hundred additions, but for them", async () => {
    const { version, write, close } = await writingTo("sleeper.db");
    const before = version() as Version;
    for (let i = 0; i < 100; i++) write(i % 2 === 0 ? CREATE : REVOKE);
    expect(version()).toEqual({ changes: before.changes, additions: before.additions + 50 });
    write(NAME);
    expect(version()?.changes).toBe(before.changes + 1);
    close();
  });

  test("is that of before while a commit cannot be seen, and none until one that can be is noted", async () => {
    const { path, note, between, version, write, close } = await writingTo("pending.db");
    const before = version() as Version;
    const newcomer = versionOf(path, note);
    const db = openForWriting(path);
    db.run("BEGIN IMMEDIATE");
    noteCommits(
      headOf(path),
      note,
      db,
    )("none", () => {
      expect(newcomer()?.changes).toBe(before.changes + 1);
      db.run("ROLLBACK");
    });
    db.close();
    const seen: unknown[] = [];
    between.run = () => seen.push(version(), newcomer());
    write(REVOKE);
    expect(seen).toEqual([undefined, undefined]);
    expect(version()).toBeDefined();
    close();
  });

  test("is another when somebody else commits before a commit is noted", async () => {
    const { other, between, version, write, close } = await writingTo("overtaken.db");
    for (const own of [REVOKE, NONE_EXPIRED, CREATE]) {
      const before = version() as Version;
      between.run = () => {
        other.run("UPDATE animals SET name = name || '!'");
        expect(version()).toBeUndefined();
      };
      other.run(INSERT);
      write(own);
      const after = version() as Version;
      expect(after.changes).not.toBe(before.changes);
      between.run = () => {};
      write(CREATE);
      expect([before.changes, after.changes]).not.toContain(version()?.changes as number);
    }
    close();
  });

  test("is another after a commit that failed and had released its lock already", async () => {
    const { path, other, note, version, close } = await writingTo("failed.db");
    const before = version();
    const db = openForWriting(path);
    const noteCommit = noteCommits(headOf(path), note, db);
    db.run("BEGIN IMMEDIATE");
    const fail = () =>
      noteCommit("none", () => {
        db.run("ROLLBACK");
        other.run(INSERT);
        // Nobody knows yet.
        expect(version()).toBeUndefined();
        throw new Error("the disk is full");
      });
    expect(fail).toThrow("the disk is full");
    expect(version()?.changes).not.toBe(before?.changes);
    db.close();
    close();
  });

  test("is another after a commit that failed, and yet can be seen", async () => {
    const { path, note, version, close } = await writingTo("uncertain.db");
    const db = openForWriting(path);
    const noteCommit = noteCommits(headOf(path), note, db);
    const before = version();
    db.run("BEGIN IMMEDIATE");
    const fail = () =>
      noteCommit("addition", () => {
        db.run(INSERT);
        db.run("COMMIT");
        throw new Error("the disk failed");
      });
    expect(fail).toThrow("the disk failed");
    expect(version()?.changes).not.toBe(before?.changes);
    db.close();
    close();
  });

  test("has the counts of one commit, and never those of two, while another thread commits", async () => {
    const head = new Uint32Array(new SharedArrayBuffer(25 * Uint32Array.BYTES_PER_ELEMENT));
    const note = newCommitNote();
    const script = `import { Database } from "bun:sqlite";
      import { noteCommits } from ${JSON.stringify(join(import.meta.dir, "version.ts"))};
      self.onmessage = ({ data: { head, note, words } }) => {
        const noteCommit = noteCommits(head, note, new Database(":memory:"));
        for (let i = 1; i <= 200_000; i++)
          noteCommit(i % 2 ? "addition" : "change", () => { for (const word of words) head[word] = i; });
        self.postMessage("done");
      };`;
    const writer = new Worker(URL.createObjectURL(new Blob([script], { type: "application/typescript" })));
    let isDone = false;
    writer.onmessage = () => {
      isDone = true;
    };
    writer.postMessage({ head, note, words: [CHANGE, CHECKSUM_1, CHECKSUM_2] });
    const version = followVersion(head, note);
    const seen = new Set<Version>();
    while (!isDone) {
      for (let i = 0; i < 10_000; i++) {
        const before = head[CHANGE] as number;
        const current = version();
        // Unless the head has moved meanwhile, or was seen before it was noted at all.
        if (!current || current.changes < 0 || head[CHANGE] !== before || before === 0) continue;
        expect(current).toEqual({ changes: 1 + Math.floor(before / 2), additions: Math.ceil(before / 2) });
        seen.add(current);
      }
      await new Promise(setImmediate);
    }
    writer.terminate();
    expect(seen.size).toBeGreaterThan(10);
  });

  test("is none after a writer was lost in the middle of a commit, until there is another", async () => {
    const { note, between, version, write, replaceWriter, close } = await writingTo("lost.db");
    const before = version() as Version;
    let atItsEnd = new Uint32Array();
    between.run = () => {
      atItsEnd = Uint32Array.from(note);
    };
    write(NAME);
    note.set(atItsEnd);
    expect(version()).toBeUndefined();
    replaceWriter();
    expect(version()?.changes).toBe(before.changes + 1);
    close();
  });
});
