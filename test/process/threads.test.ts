import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../harness/cleanup.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, postAnimal, run, serve } from "../harness/program/program.ts";
import { KeptConnections } from "../harness/requests/kept-connections.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { freePort } from "../harness/servers/port.ts";

describe("a port that several threads share is not shared with another process", () => {
  test("a start on the port of another service fails, and that one goes on", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, threads: 4 });
    const { port } = new URL(service.origin);
    const other = await run(["serve"], { cwd, env: { PORT: port, THREADS: "4", DATABASE_URL: "sqlite:other.db" } });
    expect([other.exitCode, other.out]).toEqual([1, ""]);
    expect(other.err).toContain(`port ${port} on 127.0.0.1 is in use: stop what uses it, or set PORT`);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${service.origin}/healthz`, { headers: { Connection: "close" } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await service.kill("SIGTERM")).toBe(0);
  });

  test("of two that start at once on one port, with a database each, exactly one runs", async () => {
    const cwd = temporaryFolder();
    for (let round = 0; round < 3; round++) {
      const port = String(await freePort());
      const children = ["one", "two"].map((name) => {
        const env = { PORT: port, THREADS: "4", DATABASE_URL: `sqlite:${name}.db` };
        const child = Bun.spawn([EXECUTABLE, "serve"], { cwd, env, stdout: "ignore", stderr: "pipe" });
        atEnd(() => child.kill("SIGKILL"));
        return child;
      });
      const heard = children.map(async ({ stderr }) => {
        let text = "";
        const decoder = new TextDecoder();
        for await (const chunk of stderr) {
          text += decoder.decode(chunk, { stream: true });
          if (text.includes("all threads answer requests") || text.includes("is in use")) break;
        }
        return text.includes("is in use") ? "refused" : "runs";
      });
      const outcomes = await Promise.all(heard);
      expect(outcomes.toSorted()).toEqual(["refused", "runs"]);
      // The other one ends by itself.
      children[outcomes.indexOf("runs")]?.kill("SIGTERM");
      expect((await Promise.all(children.map(({ exited }) => exited))).sort()).toEqual([0, 1]);
    }
  });
});

describe("a thread that dies", () => {
  /** The service in a process whose threads can be ended: a line with a name makes the thread of that name throw. */
  async function serveMortal(cwd: string) {
    const script = `
      const workers = [];
      globalThis.Worker = class extends Worker {
        constructor(script, options) { super(script, options); workers.push([options?.name ?? "writer", this]); }
      };
      const { serve } = await import(${JSON.stringify(join(import.meta.dir, "../../src/cli/serve.ts"))});
      await serve();
      for await (const line of console) for (const [name, worker] of workers) if (name === line) worker.postMessage(null);
    `;
    const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PORT: "0", THREADS: "4" };
    const child = Bun.spawn([process.execPath, "-e", script], {
      cwd,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    atEnd(() => child.kill("SIGKILL"));
    let logged = "";
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) logged += decoder.decode(chunk, { stream: true });
    })();
    while (!logged.includes("all threads answer requests")) await Bun.sleep(5);
    const origin = /"url":"([^"]+)"/.exec(logged)?.[1] as string;
    const end = (name: string): void => {
      child.stdin.write(`${name}\n`);
      child.stdin.flush();
    };
    return { child, origin, end, logged: () => logged };
  }

  test("takes the process down: what was acknowledged and counted is saved, and the exit code is 1", async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const service = await serveMortal(cwd);
    const acknowledged: number[] = [];
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, i) => {
      while (!isOver) {
        const answer = await postAnimal(service, secret, `animal of ${i}`).catch(() => undefined);
        const pet = (await answer?.json().catch(() => undefined)) as { id?: number } | undefined;
        if (answer?.status === 201 && pet?.id) acknowledged.push(pet.id);
      }
    });
    while (acknowledged.length < 100) await Bun.sleep(5);
    service.end("serving 3");
    expect(await service.child.exited).toBe(1);
    isOver = true;
    await Promise.all(writers);
    const lines = service
      .logged()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [crash] = lines.filter(({ msg }) => msg === "a thread of the service has crashed: stopping");
    expect(crash).toMatchObject({
      level: "error",
      err: { message: expect.stringContaining("serving thread 3 has ended") },
    });
    expect(lines.at(-1)).toMatchObject({ msg: "stopped" });
    const db = openDatabaseFile(join(cwd, "data/animal-store.db"), { readonly: true });
    const kept = new Set(db.query("SELECT id FROM animals").values().flat());
    const { used } = db.query("SELECT max(day_used) AS used FROM tallies").get() as { used: number };
    db.close();
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(acknowledged.length);
  });

  test("is replaced if it is the writer: the next write of every thread is carried out", async () => {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const service = await serveMortal(cwd);
    for (let round = 0; round < 3; round++) {
      const before = await Promise.all(Array.from({ length: 40 }, () => postAnimal(service, secret, "before")));
      expect(before.every(({ status }) => status === 201)).toBe(true);
      service.end("writer");
      // Writes that were on their way to the one that is gone may be lost with it, and are told so.
      let refused = 1;
      while (refused > 0) {
        const answers = await Promise.all(Array.from({ length: 40 }, () => postAnimal(service, secret, "again")));
        for (const { status } of answers) expect([201, 503]).toContain(status);
        refused = answers.filter(({ status }) => status === 503).length;
      }
    }
    service.child.kill("SIGTERM");
    expect(await service.child.exited).toBe(0);
  });

  test.skipIf(!Bun.which("prlimit"))(
    "is not replaced while all files are open: writes get 503 and reads go on; with room again, so do writes",
    async () => {
      const cwd = temporaryFolder();
      const secret = await issueBoundlessKey({ cwd });
      const service = await serveMortal(cwd);
      const connections = await KeptConnections.open({ origin: service.origin, boundless: secret });
      const acknowledged: number[] = [];
      const write = async (name: string) => {
        const answers = await connections.callAll("POST /pets", { body: { name, categoryId: 1 } });
        for (const { status, json } of answers) if (status === 201) acknowledged.push(json.id);
        return answers;
      };
      const statusesOf = (answers: readonly { status: number }[]) => [...new Set(answers.map(({ status }) => status))];
      // At the limit, no connection is accepted: an answer shows that each of these was.
      expect(statusesOf(await write("before"))).toEqual([201]);
      const limitFiles = (soft: string) =>
        expect(Bun.spawnSync(["prlimit", "--pid", String(service.child.pid), `--nofile=${soft}:`]).exitCode).toBe(0);
      const limits = readFileSync(`/proc/${service.child.pid}/limits`, "utf8");
      const soft = /^Max open files +(\d+)/m.exec(limits)?.[1] as string;
      limitFiles("1");
      expect(statusesOf(await write("with a writer"))).toEqual([201]);
      service.end("writer");
      let isGone = false;
      while (!isGone) isGone = !statusesOf(await write("at its end")).includes(201);
      for (const { status, json } of await write("refused"))
        expect([status, json]).toMatchObject([503, { message: expect.stringContaining("nothing was changed") }]);
      expect(statusesOf(await connections.callAll("GET /pets?limit=1"))).toEqual([200]);
      limitFiles(soft);
      expect(statusesOf(await write("after"))).toEqual([201]);
      connections.end();
      service.child.kill("SIGKILL");
      await service.child.exited;
      const db = openDatabaseFile(join(cwd, "data/animal-store.db"), { readonly: true });
      const kept = new Map(db.query("SELECT id, name FROM animals").values() as [number, string][]);
      db.close();
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
      expect([...kept.values()]).not.toContain("refused");
    },
  );
});

/** The number of times that each thread of a process has gone to sleep so far, by its id and name. */
function sleepsOf(pid: number): Map<string, number> {
  const field = (status: string, name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
      return [`${thread} ${field(status, "Name")}`, Number(field(status, "voluntary_ctxt_switches"))];
    }),
  );
}

test.skipIf(process.platform !== "linux")(
  "at rest, one thread wakes up for all: a process of 8 sleeps fewer than 20 times a second, its other threads hardly ever",
  async () => {
    // Bun collects garbage in the first half minute of rest.
    const env = { BUN_GC_TIMER_DISABLE: "1" };
    const service = await serve({ cwd: temporaryFolder(), threads: 8, env });
    const { pid } = service.child;
    const first = `${pid} animal-store`;
    /** Watches until the first thread has slept ten times. */
    const watch = async () => {
      const [before, beganMs] = [sleepsOf(pid), performance.now()];
      const since = (sleeps: Map<string, number>, thread: string) =>
        (sleeps.get(thread) ?? 0) - (before.get(thread) ?? 0);
      while (since(sleepsOf(pid), first) < 10) await Bun.sleep(50);
      const seconds = (performance.now() - beganMs) / 1_000;
      const after = sleepsOf(pid);
      const slept = [...after.keys()].map((thread) => ({ thread, times: since(after, thread) }));
      const serving = slept.filter(({ thread }) => thread.includes("serving"));
      expect(serving).toHaveLength(7);
      const sumOf = (some: typeof slept) => some.reduce((sum, { times }) => sum + times, 0);
      // Fewer than one each: Bun may have something to do in one of them.
      return { others: sumOf(serving), perSecond: sumOf(slept) / seconds };
    };
    // It comes to rest within seconds, and then stays there.
    let seen = await watch();
    const isAtRest = () => seen.others <= 3 && seen.perSecond < 20;
    for (let i = 0; i < 5 && !isAtRest(); i++) seen = await watch();
    expect({ ...seen, isAtRest: isAtRest() }).toMatchObject({ isAtRest: true });
    expect(await service.kill("SIGTERM")).toBe(0);
  },
);
