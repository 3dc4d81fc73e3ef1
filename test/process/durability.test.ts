import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SAVE_INTERVAL_MS } from "../../src/meter/open.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, postAnimal, type RunningService, run, serve } from "../harness/program/program.ts";
import { canMount, onSmallDisk } from "../harness/program/small-disk.ts";
import { clientOf } from "../harness/requests/client.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";

const issue = async (cwd: string, ...options: string[]): Promise<{ id: string; secret: string }> => {
  await run(["migrate"], { cwd });
  const { out, err } = await run(["keys", "create", "--name", "test", "--json", ...options], { cwd });
  if (out === "") throw new Error(err);
  return JSON.parse(out);
};

const get = (service: RunningService, secret: string) =>
  fetch(`${service.origin}/v1/pets?limit=1`, {
    headers: { Authorization: `Bearer ${secret}`, Connection: "close" },
  });

/** The names of all animals, by their ids. */
async function everyAnimal(service: RunningService, secret: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, name } of clientOf(service, secret).pets.list({ limit: 100 })) found.set(id, name);
  return found;
}

/** Reads a key's counter from the file: it is all that a crash leaves. */
function usedThisMinute(cwd: string, keyId: string): number {
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"), { readonly: true });
  const row = db.query("SELECT minute_used AS used FROM tallies WHERE key_id = ?").get(keyId);
  db.close();
  return (row as { used: number } | null)?.used ?? 0;
}

test("kill -9 in the middle of a load loses no acknowledged animal, and no id comes twice", async () => {
  const cwd = temporaryFolder();
  const secret = await issueBoundlessKey({ cwd });
  const acknowledged = new Map<number, string>();
  for (let round = 0; round < 3; round++) {
    const service = await serve({ cwd, threads: 4 });
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; !isOver; i++) {
        const name = `round ${round}, writer ${writer}, animal ${i}`;
        const answer = await postAnimal(service, secret, name).catch(() => undefined);
        if (answer?.status !== 201) return;
        const { id } = (await answer.json().catch(() => ({}))) as { id?: number };
        if (id === undefined) return;
        expect(acknowledged.has(id)).toBe(false);
        acknowledged.set(id, name);
      }
    });
    const enough = acknowledged.size + 200;
    while (acknowledged.size < enough) await Bun.sleep(5);
    await service.kill("SIGKILL");
    isOver = true;
    await Promise.all(writers);
  }
  const service = await serve({ cwd });
  const found = await everyAnimal(service, secret);
  for (const [id, name] of acknowledged) expect(found.get(String(id))).toBe(name);
  await service.kill("SIGTERM");
});

test("a store that is reached through a symbolic link survives kill -9, and every command finds its log", async () => {
  const cwd = temporaryFolder();
  const disk = join(cwd, "disk");
  for (const folder of [disk, join(cwd, "data")]) mkdirSync(folder);
  // Beside a file that does not exist yet, and long before SQLite makes it.
  symlinkSync("../disk/real.db", join(cwd, "data/animal-store.db"));
  const secret = await issueBoundlessKey({ cwd });
  const first = await serve({ cwd });
  const names = Array.from({ length: 300 }, (_, i) => `${i} `.padEnd(200, "x"));
  const answers = await Promise.all(names.map((name) => postAnimal(first, secret, name)));
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  await first.kill("SIGKILL");
  expect(Bun.file(join(disk, "real.db-wal")).size).toBeGreaterThan(0);
  expect(readdirSync(join(cwd, "data")).filter((name) => name.startsWith("animal-store.db"))).toEqual([
    "animal-store.db",
  ]);
  expect((await run(["doctor"], { cwd })).exitCode).toBe(0);
  const second = await serve({ cwd });
  expect([...(await everyAnimal(second, secret)).values()].sort()).toEqual(names.sort());
  await second.kill("SIGTERM");
  expect((await run(["backup", join(cwd, "backup.db")], { cwd })).exitCode).toBe(0);
  // A log of another file, which nothing but a look beside the link's target finds.
  copyFileSync(join(cwd, "backup.db"), join(disk, "real.db"));
  const third = await serve({ cwd });
  await postAnimal(third, secret, "to be in the log");
  await third.kill("SIGKILL");
  copyFileSync(join(cwd, "backup.db"), join(disk, "real.db"));
  expect((await run(["keys", "list"], { cwd })).err).toContain("real.db-wal does not belong to");
});

describe("counters", () => {
  test("a stop loses nothing of them", async () => {
    const cwd = temporaryFolder();
    const { id, secret } = await issue(cwd, "--plan", "free");
    const first = await serve({ cwd, threads: 4 });
    for (let i = 0; i < 40; i++) await get(first, secret);
    await first.kill("SIGTERM");
    const { out } = await run(["keys", "show", id, "--json"], { cwd });
    expect(JSON.parse(out)).toMatchObject({ minute: { used: 40, remaining: 20 }, day: { used: 40, remaining: 960 } });
    const second = await serve({ cwd, threads: 4 });
    expect((await get(second, secret)).headers.get("x-ratelimit-remaining")).toBe("19");
    await second.kill("SIGTERM");
  });

  test("a crash loses at most the last second of them, and no ban", async () => {
    const cwd = temporaryFolder();
    const counted = await issue(cwd, "--plan", "free");
    const banned = await issue(cwd, "--plan", "free");
    const first = await serve({ cwd, threads: 4 });
    for (let i = 0; i < 30; i++) await get(first, counted.secret);
    // Without a stop: they are saved every so often, and a crash loses what came since.
    expect(SAVE_INTERVAL_MS).toBeLessThan(1_000);
    while (usedThisMinute(cwd, counted.id) < 30) await Bun.sleep(10);
    let answer: Response | undefined;
    for (let i = 0; i < 120; i++) answer = await get(first, banned.secret);
    expect(await answer?.json()).toMatchObject({ code: "key_banned" });
    await first.kill("SIGKILL");
    const second = await serve({ cwd, threads: 4 });
    expect((await get(second, counted.secret)).headers.get("x-ratelimit-remaining")).toBe("29");
    expect(await (await get(second, banned.secret)).json()).toMatchObject({ code: "key_banned" });
    await second.kill("SIGTERM");
  });
});

test.skipIf(!Bun.which("prlimit"))(
  "when the file cannot grow, writes answer 503 while reads go on; when it can again, so do writes",
  async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const service = await serve({
      cwd,
      env: { LOG_LEVEL: "silent" },
      wrap: ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"],
    });
    expect((await postAnimal(service, secret, "before")).status).toBe(201);

    const limit = (size: string) => Bun.spawnSync(["prlimit", "--pid", String(service.child.pid), `--fsize=${size}`]);
    expect(limit("4096:unlimited").exitCode).toBe(0);
    for (let i = 0; i < 3; i++) {
      const refused = await postAnimal(service, secret, "refused");
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("2");
      expect(refused.headers.get("x-ratelimit-limit")).not.toBeNull();
      expect(await refused.json()).toEqual({ code: "service_unavailable", message: expect.any(String), status: 503 });
      expect((await get(service, secret)).status).toBe(200);
    }
    limit("unlimited:unlimited");
    expect((await postAnimal(service, secret, "after")).status).toBe(201);
    expect([...(await everyAnimal(service, secret)).values()]).toEqual(["before", "after"]);
    expect(await service.kill("SIGTERM")).toBe(0);
  },
);

test.skipIf(!canMount)(
  "on a full disk no animal that was acknowledged is lost, and none that was refused is kept",
  () =>
    onSmallDisk("400k", async (cwd) => {
      const secret = await issueBoundlessKey({ cwd });
      // The log lies on the same disk, as it does on most machines, and cannot be written either.
      const wrap = ["sh", "-c", 'exec "$@" 2>>service.log', "sh"];
      const service = await serve({ cwd, env: { LOG_REQUESTS: "on" }, wrap });
      const acknowledged: string[] = [];
      const refusals: number[] = [];
      for (let i = 0; i < 2000 && refusals.length < 20; i++) {
        const name = `${i} `.padEnd(250, "x");
        const { status } = await postAnimal(service, secret, name);
        if (status === 201) acknowledged.push(name);
        else refusals.push(status);
      }
      expect(refusals).toEqual(Array(20).fill(503));
      expect((await get(service, secret)).status).toBe(200);
      expect([...(await everyAnimal(service, secret)).values()]).toEqual(acknowledged);
      expect(await service.kill("SIGTERM")).toBe(0);
    }),
);

test.skipIf(!canMount)(
  "a service that was stopped on a full disk starts there, reads, and writes once there is room",
  () =>
    onSmallDisk("400k", async (cwd) => {
      const secret = await issueBoundlessKey({ cwd });
      const first = await serve({ cwd });
      expect((await postAnimal(first, secret, "before")).status).toBe(201);
      expect(await first.kill("SIGTERM")).toBe(0);
      expect(Bun.file(join(cwd, "data/animal-store.db-wal")).size).toBe(0);
      const filler = join(cwd, "filler");
      Bun.spawnSync(["sh", "-c", `cat /dev/zero > ${filler}`], { stderr: "ignore" });

      const second = await serve({ cwd });
      expect([...(await everyAnimal(second, secret)).values()]).toEqual(["before"]);
      expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
      expect((await postAnimal(second, secret, "refused")).status).toBe(503);
      rmSync(filler);
      expect((await postAnimal(second, secret, "after")).status).toBe(201);
      expect([...(await everyAnimal(second, secret)).values()]).toEqual(["before", "after"]);
      expect(await second.kill("SIGTERM")).toBe(0);
    }),
);

describe("a database file that is taken away from a running service", () => {
  const readyz = async (service: RunningService) =>
    (await fetch(`${service.origin}/readyz`, { headers: { Connection: "close" } })).status;
  const until = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await Bun.sleep(10);
  };

  test("makes the very next write answer 503, as well as /readyz, until it is put back", async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const service = await serve({ cwd, env: { THREADS: "1" } });
    expect((await postAnimal(service, secret, "before")).status).toBe(201);
    const path = join(cwd, "data/animal-store.db");
    renameSync(path, `${path}.away`);
    for (const message of ["may or may not have been made", "nothing was changed"]) {
      const uncertain = await postAnimal(service, secret, "uncertain", "k");
      expect(uncertain.status).toBe(503);
      expect(await uncertain.text()).toContain(message);
    }
    const refused = await postAnimal(service, secret, "refused");
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("nothing was changed");
    expect(await readyz(service)).toBe(503);
    expect((await get(service, secret)).status).toBe(200);
    renameSync(`${path}.away`, path);
    expect((await postAnimal(service, secret, "uncertain", "k")).status).toBe(201);
    expect((await postAnimal(service, secret, "after")).status).toBe(201);
    expect(await readyz(service)).toBe(200);
    expect([...(await everyAnimal(service, secret)).values()]).toEqual(["before", "uncertain", "after"]);
    await service.kill("SIGTERM");
  });

  test("is noticed without any request, and logged once, with what to do", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, threads: 4 });
    await until(
      async () => (await readyz(service)) === 200 && Bun.file(join(cwd, "data/animal-store.db-wal")).size > 0,
    );
    await Bun.sleep(150);
    const path = join(cwd, "data/animal-store.db");
    rmSync(path);
    await until(() => service.logged().includes("not ready: "));
    expect(service.logged()).toContain("put it back, or restart the service");
    for (let i = 0; i < 5; i++) expect(await readyz(service)).toBe(503);
    await service.kill("SIGTERM");
    expect(service.logged().split("not ready: ")).toHaveLength(2);
  });

  test("and replaced as in a restore is never written to, and all of the old one is in the folder it was moved to", async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const backup = join(cwd, "backup.db");
    expect((await run(["backup", backup], { cwd })).exitCode).toBe(0);
    const service = await serve({ cwd, threads: 4 });
    expect((await postAnimal(service, secret, "before")).status).toBe(201);
    const data = join(cwd, "data");
    const old = join(cwd, "old");
    mkdirSync(old);
    for (const file of readdirSync(data).filter((name) => name.startsWith("animal-store.db")))
      renameSync(join(data, file), join(old, file));
    copyFileSync(backup, join(data, "animal-store.db"));
    const digest = () => Bun.hash(readFileSync(join(data, "animal-store.db")));
    const restored = digest();
    for (let i = 0; i < 3; i++) {
      const answer = await postAnimal(service, secret, `refused ${i}`);
      expect(answer.status).toBe(503);
    }
    await until(() => service.logged().includes("restart the service to use the new file"));
    const other = await run(["serve"], { cwd: old, env: { PORT: "0", DATABASE_URL: "sqlite:animal-store.db" } });
    expect(other.err).toContain("another process is already serving");
    await service.kill("SIGTERM");
    expect(digest()).toBe(restored);
    expect(readdirSync(data).filter((name) => name.startsWith("animal-store.db"))).toEqual(["animal-store.db"]);
    const db = openDatabaseFile(join(old, "animal-store.db"));
    expect(db.query("SELECT name FROM animals WHERE name = 'before'").values()).toEqual([["before"]]);
    db.close();
    const again = await serve({ cwd });
    expect([...(await everyAnimal(again, secret)).values()]).toEqual([]);
    await again.kill("SIGTERM");
  });
});

test.if(process.platform === "linux")(
  "a backup that is copied over the file in use is noticed, and not ruined",
  async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const backup = join(cwd, "backup.db");
    expect((await run(["backup", backup], { cwd })).exitCode).toBe(0);
    const service = await serve({ cwd, threads: 4 });
    const readyz = async () => (await fetch(`${service.origin}/readyz`, { headers: { Connection: "close" } })).status;
    for (let i = 0; i < 60; i++) expect((await postAnimal(service, secret, `before ${i}`)).status).toBe(201);
    while ((await readyz()) !== 200) await Bun.sleep(10);
    const file = join(cwd, "data/animal-store.db");
    expect(Bun.spawnSync(["cp", backup, file]).success).toBe(true);
    while (!service.logged().includes("animal-store.db was overwritten while the service was running"))
      await Bun.sleep(10);
    expect(await readyz()).toBe(503);
    // Each thread looks for itself, a few times a second: some refuse before the writer does.
    for (let refusals = 0; refusals < 50; await Bun.sleep(10))
      refusals = (await postAnimal(service, secret, "refused")).status === 503 ? refusals + 1 : 0;
    expect(await (await postAnimal(service, secret, "refused")).text()).toContain("nothing was changed");
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(Bun.hash(readFileSync(file))).toBe(Bun.hash(readFileSync(backup)));
    expect((await run(["serve"], { cwd, env: { PORT: "0" } })).err).toContain("does not belong to");
    for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`);
    const again = await serve({ cwd });
    expect([...(await everyAnimal(again, secret)).values()]).toEqual([]);
    await again.kill("SIGTERM");
  },
);

test("a lock that another process holds makes writes answer 503, and reads and keys go on", async () => {
  const cwd = temporaryFolder();
  const secret = await issueBoundlessKey({ cwd });
  const service = await serve({ cwd, threads: 4 });
  const other = openDatabaseFile(join(cwd, "data/animal-store.db"));
  other.run("BEGIN IMMEDIATE");
  const write = postAnimal(service, secret, "waits");
  expect((await get(service, secret)).status).toBe(200);
  expect((await fetch(`${service.origin}/readyz`, { headers: { Connection: "close" } })).status).toBe(200);
  // While the lock is still held.
  expect((await write).status).toBe(503);
  other.run("ROLLBACK");
  other.close();
  expect((await postAnimal(service, secret, "goes")).status).toBe(201);
  await service.kill("SIGTERM");
});
