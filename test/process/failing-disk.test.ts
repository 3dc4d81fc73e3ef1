import { describe, expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { diskEnvironment, setFaults, whyNoDiskLayer } from "../../torture/disk/layer.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, postAnimal, type RunningService, serve } from "../harness/program/program.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";

// A disk that fails while the service runs: what it says must be what a restart finds.

const LOG = "animal-store.db-wal";
const DATABASE = "animal-store.db";

/** A service whose disk fails as it is told. */
async function onFailingDisk() {
  const cwd = temporaryFolder();
  const faults = join(temporaryFolder(), "faults");
  setFaults(faults);
  const secret = await issueBoundlessKey({ cwd });
  const service = await serve({ cwd, env: diskEnvironment({ folder: cwd, faults }), threads: 4 });
  const post = async (name: string, idempotencyKey?: string) => {
    const response = await postAnimal(service, secret, name, idempotencyKey);
    return { status: response.status, json: (await response.json()) as { id: number; message?: string } };
  };
  const file = join(cwd, "data", DATABASE);
  return { cwd, file, secret, service, post, fail: (...lines: string[]) => setFaults(faults, ...lines) };
}

/** Until writes are accepted again. */
async function untilAccepted(post: (name: string) => Promise<{ status: number }>): Promise<void> {
  while ((await post("again")).status !== 201) await Bun.sleep(20);
}

const namesIn = (file: string): unknown[] => {
  const db = openDatabaseFile(file);
  const names = db.query("SELECT name FROM animals ORDER BY id").values().flat();
  db.close();
  return names;
};

/** Another process that reads what there is now, until it is told to end. */
async function readElsewhere(file: string): Promise<{ end(): Promise<unknown> }> {
  const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(file)}, { readonly: true });
    db.run("BEGIN"); db.query("SELECT count(*) FROM animals").get(); console.log("reading");
    for await (const _ of console) break;
    // Named here, so that it is not collected as garbage before.
    db.close();`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" });
  await child.stdout.getReader().read();
  return {
    end() {
      child.stdin.end();
      return child.exited;
    },
  };
}

/** The number of the log's pages that are in the database file: https://sqlite.org/walformat.html#the_wal_index_file_format */
const checkpointedIn = (file: string): number => readFileSync(`${file}-shm`).readUInt32LE(96);

/** Sets a file back to what the disk has of it if it was not synced since: nothing of what was written meanwhile. */
function forget(file: string, before: Uint8Array): void {
  const size = statSync(file).size;
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.concat([before, Buffer.alloc(size - before.length)]), 0, size, 0);
  closeSync(descriptor);
}

const logged = (service: RunningService, text: string): number => service.logged().split(text).length - 1;

describe.skipIf(whyNoDiskLayer() !== undefined)("a disk that fails", () => {
  test("a commit that could not be synced may have been made: 503 says so, and a retry is carried out once", async () => {
    const { file, service, post, fail } = await onFailingDisk();
    expect((await post("before")).status).toBe(201);
    const made = ["before"];
    const nextName = () => `attempt ${made.length}`;
    const postAndFail = () => {
      fail(`sync ${LOG} EIO`);
      return post(nextName(), nextName());
    };
    let failed = await postAndFail();
    // The sync that fails may be that of one of the service's own commits, such as a heartbeat.
    while (failed.status === 201 || failed.json.message?.includes("nothing was changed")) {
      if (failed.status === 201) made.push(nextName());
      expect(namesIn(file)).toEqual(made);
      fail();
      while (!(await fetch(`${service.origin}/readyz`)).ok) await Bun.sleep(20);
      failed = await postAndFail();
    }
    expect(failed.status).toBe(503);
    expect(failed.json.message).toContain("may or may not have been made");
    fail();
    let retried = await post(nextName(), nextName());
    for (; retried.status === 503; retried = await post(nextName(), nextName())) {
      expect(retried.json.message).toContain("nothing was changed");
      await Bun.sleep(20);
    }
    expect(retried.status).toBe(201);
    expect(namesIn(file)).toEqual([...made, nextName()]);
    await service.kill("SIGKILL");
    expect(namesIn(file)).toEqual([...made, nextName()]);
  });

  test("after a sync that failed nothing is accepted until the log could be written again, and reads go on", async () => {
    const { file, secret, service, post, fail } = await onFailingDisk();
    expect((await post("before")).status).toBe(201);
    fail(`sync ${LOG} EIO *`);
    const headers = { Authorization: `Bearer ${secret}`, Connection: "close" };
    const list = () => fetch(`${service.origin}/v1/pets`, { headers });
    const readyz = async () => (await fetch(`${service.origin}/readyz`, { headers })).status;
    expect(await readyz()).toBe(200);
    expect((await post("refused")).status).toBe(503);
    // The writer tells all threads, but only the one that asked is certain to have heard.
    while ((await Promise.all(Array.from({ length: 20 }, readyz))).includes(200)) await Bun.sleep(1);
    for (let i = 0; i < 20; i++) {
      expect((await post("refused")).status).toBe(503);
      expect((await list()).status).toBe(200);
      expect(await readyz()).toBe(503);
    }
    fail();
    await untilAccepted((name) => post(name));
    while ((await Promise.all(Array.from({ length: 20 }, readyz))).includes(503)) await Bun.sleep(1);
    // Replies that were cached before are not served any more.
    expect(await (await list()).text()).toContain('"again"');
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(logged(service, "the disk failed to keep what was written")).toBe(1);
    expect(logged(service, "not ready: writes are refused until the database was opened again")).toBe(1);
    expect(namesIn(file).filter((name) => name !== "refused")).toEqual(["before", "again"]);
  });

  test("a checkpoint that fails is logged, and the writes are safe in the log", async () => {
    const { file, service, post, fail } = await onFailingDisk();
    fail(`write ${DATABASE} EIO *`);
    const acknowledged: string[] = [];
    while (logged(service, "could not move writes from the log") === 0) {
      const names = Array.from({ length: 50 }, (_, i) => `${acknowledged.length + i} `.padEnd(200, "x"));
      const answers = await Promise.all(names.map((name) => post(name)));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
      acknowledged.push(...names);
    }
    await service.kill("SIGKILL");
    expect(namesIn(file).sort()).toEqual(acknowledged.sort());
  });

  test("after a checkpoint that could not be synced writes are refused, and nothing that was accepted is lost", async () => {
    const { file, service, post, fail } = await onFailingDisk();
    fail(`sync ${DATABASE} EIO *`);
    const acknowledged = new Set<string>();
    let refused = 0;
    for (let i = 0; refused === 0; i++) {
      const names = Array.from({ length: 50 }, (_, j) => `${i} ${j} `.padEnd(200, "x"));
      const answers = await Promise.all(names.map((name) => post(name)));
      for (const [j, { status }] of answers.entries())
        if (status === 201) acknowledged.add(names[j] as string);
        else refused++;
    }
    // Until it has been opened again. Where a reader keeps the checkpoint after that from syncing, the log has everything,
    // and writes are accepted up to the next checkpoint.
    const isAccepted = (await post("later")).status === 201;
    fail();
    await untilAccepted((name) => post(name));
    await service.kill("SIGKILL");
    const names = new Set(namesIn(file));
    expect([...acknowledged].filter((name) => !names.has(name))).toEqual([]);
    expect(names.has("later")).toBe(isAccepted);
  });

  test("what a failed sync may have forgotten is written again, also what an earlier checkpoint had written", async () => {
    const { file, service, post, fail } = await onFailingDisk();
    await post("first");
    const before = readFileSync(file);
    const acknowledged = new Set<string>();
    const postMany = async (count: number) => {
      const names = Array.from({ length: count }, () => `${acknowledged.size} ${Math.random()} `.padEnd(200, "x"));
      const answers = await Promise.all(names.map((name) => post(name)));
      for (const [i, { status }] of answers.entries()) if (status === 201) acknowledged.add(names[i] as string);
      return answers.every(({ status }) => status === 201);
    };
    // Pages that nobody will change again, and not enough of them for a checkpoint.
    for (let i = 0; i < 2; i++) expect(await postMany(10)).toBe(true);
    expect(checkpointedIn(file)).toBe(0);
    const reader = await readElsewhere(file);
    // A checkpoint goes as far as the reader allows, and SQLite leaves syncing it to the next one.
    while (checkpointedIn(file) === 0) expect(await postMany(50)).toBe(true);
    fail(`sync ${DATABASE} EIO *`);
    await reader.end();
    while (await postMany(50)) {}
    // Between two attempts, which are a second apart at first.
    while (logged(service, "could not open the database again") === 0) await Bun.sleep(5);
    forget(file, before);
    fail();
    await untilAccepted((name) => post(name));
    const copy = join(temporaryFolder(), "copy.db");
    copyFileSync(file, copy);
    await service.kill("SIGKILL");
    const db = openDatabaseFile(copy);
    expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    const names = new Set(db.query("SELECT name FROM animals").values().flat());
    db.close();
    expect([...acknowledged].filter((name) => !names.has(name))).toEqual([]);
  });

  test("a stop after a sync that failed leaves the log as it is", async () => {
    const { file, service, post, fail } = await onFailingDisk();
    expect((await post("before")).status).toBe(201);
    fail(`sync ${LOG} EIO *`);
    expect((await post("uncertain")).status).toBe(503);
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(Bun.file(`${file}-wal`).size).toBeGreaterThan(0);
    expect(namesIn(file)[0]).toBe("before");
  });
});
