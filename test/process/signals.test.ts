import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { atEnd } from "../harness/cleanup.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, type RunningService, run, serve } from "../harness/program/program.ts";
import { clientOf } from "../harness/requests/client.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";

const ROOT = join(import.meta.dir, "../..");
const CTRL_C = "\x03";

const secretOf = async (cwd: string): Promise<string> =>
  (await Bun.file(join(cwd, "data/animal-store.operator-key")).text()).trim();

/** A request that keeps a stop waiting: the rest of its body does not come. */
async function beginRequest(origin: string, secret: string): Promise<RawConnection> {
  const connection = await RawConnection.open(origin);
  connection.send(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 30\r\nExpect: 100-continue\r\n\r\n{"name":`,
  );
  await connection.until((received) => received.includes("100 Continue"));
  connection.forget();
  return connection;
}

const stoppingLines = (logged: string): number => logged.match(/\bstopping\b/g)?.length ?? 0;

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(5);
};

describe("signals", () => {
  for (const threads of [1, 3])
    test(`many signals are one stop and one line, with ${threads} threads; what is in progress is answered`, async () => {
      const cwd = temporaryFolder();
      const service = await serve({ cwd, threads });
      const secret = await secretOf(cwd);
      const busy = await beginRequest(service.origin, secret);
      for (const signal of ["SIGINT", "SIGINT", "SIGTERM", "SIGINT"] as const) service.child.kill(signal);
      await until(() => stoppingLines(service.logged()) > 0);
      for (const signal of ["SIGTERM", "SIGTERM"] as const) service.child.kill(signal);
      busy.send('"Last","categoryId":1}');
      expect(await busy.answer()).toContain("HTTP/1.1 201");
      expect(await service.kill("SIGTERM")).toBe(0);
      expect(stoppingLines(service.logged())).toBe(1);
      expect(service.logged()).toContain('"msg":"stopped"');
    });

  test("while requests are still accepted after SIGTERM, Ctrl+C ends that at once, and gracefully", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, env: { DRAIN_SECONDS: "300" } });
    service.child.kill("SIGTERM");
    await until(() => stoppingLines(service.logged()) > 0);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    expect(await service.kill("SIGINT")).toBe(0);
    expect(stoppingLines(service.logged())).toBe(1);
    expect(service.logged()).toContain('"msg":"stopped"');
  });

  test("a second Ctrl+C does not wait for anything: exit code 130, and what was acknowledged is there", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, threads: 2 });
    const secret = await secretOf(cwd);
    const kept = await clientOf(service, secret).pets.create({ name: "Kept", categoryId: 1 });
    const busy = await beginRequest(service.origin, secret);
    expect(await pressUntilGone(service)).toBe(130);
    busy.destroy();
    expect(stoppingLines(service.logged())).toBe(1);
    expect(service.logged()).not.toContain('"msg":"stopped"');
    const again = await serve({ cwd });
    expect((await clientOf(again, secret).pets.list()).items).toEqual([kept]);
    await again.kill("SIGTERM");
  });

  test("Ctrl+C ends a start at once, also while it waits for the database to make its schema, and the next start does it", async () => {
    const cwd = temporaryFolder();
    const other = openDatabaseFile(join(cwd, "a.db"));
    other.run("BEGIN EXCLUSIVE");
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATABASE_URL: "sqlite:a.db" };
    const child = Bun.spawn([EXECUTABLE, "serve"], { cwd, env, stdout: "pipe", stderr: "pipe" });
    atEnd(() => child.kill("SIGKILL"));
    await until(() => hasOpen(child.pid, "a.db"));
    child.kill("SIGINT");
    await child.exited;
    expect([child.exitCode, child.signalCode]).toEqual([null, "SIGINT"]);
    expect(await new Response(child.stdout).text()).toBe("");
    other.run("ROLLBACK");
    other.close();
    const again = await serve({ cwd, env: { DATABASE_URL: "sqlite:a.db" } });
    expect(await again.kill("SIGTERM")).toBe(0);
  });
});

/** Presses Ctrl+C again and again, as somebody who has lost patience does. */
async function pressUntilGone({ child }: RunningService): Promise<number | null> {
  while (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGINT");
    await Bun.sleep(50);
  }
  await child.exited;
  return child.exitCode;
}

function hasOpen(pid: number, name: string): boolean {
  const { stdout } = Bun.spawnSync(["ls", "-l", `/proc/${pid}/fd`]);
  return stdout.toString().includes(name);
}

/** `npm start` at a terminal, in which keys can be pressed. */
async function npmStart() {
  const cwd = temporaryFolder();
  const database = join(cwd, "a.db");
  let shown = "";
  const decoder = new TextDecoder();
  const npm = Bun.spawn(["npm", "start"], {
    cwd: ROOT,
    env: { ...process.env, PORT: "0", DATABASE_URL: `sqlite:${database}`, NO_COLOR: "1", FORCE_COLOR: "0" },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_, bytes) => {
        shown += decoder.decode(bytes, { stream: true });
      },
    },
  });
  atEnd(() => npm.kill("SIGKILL"));
  await until(() => shown.includes("Ctrl+C") || npm.exitCode !== null);
  return {
    npm,
    shown: () => shown,
    press: () => void npm.terminal?.write(CTRL_C),
    origin: /API +(\S+)\/v1/.exec(shown)?.[1] as string,
    secret: (await Bun.file(join(cwd, "a.operator-key")).text()).trim(),
  };
}

describe("npm start at a terminal", () => {
  test("one Ctrl+C, which also npm passes on, is one graceful stop", async () => {
    const { npm, press, shown, origin, secret } = await npmStart();
    const busy = await beginRequest(origin, secret);
    press();
    await until(() => stoppingLines(shown()) > 0);
    busy.send('"Last","categoryId":1}');
    expect(await busy.answer()).toContain("HTTP/1.1 201");
    await npm.exited;
    expect(npm.exitCode).toBe(0);
    expect(stoppingLines(shown())).toBe(1);
    expect(shown()).toContain("stopped");
    expect(shown()).not.toContain("interrupted");
  });

  test("a second Ctrl+C ends it at once", async () => {
    const { npm, press, shown, origin, secret } = await npmStart();
    const busy = await beginRequest(origin, secret);
    press();
    await until(() => stoppingLines(shown()) > 0);
    while (npm.exitCode === null && npm.signalCode === null) {
      press();
      await Bun.sleep(50);
    }
    busy.destroy();
    // The terminal may deliver the last lines after the end of npm.
    await until(() => shown().includes("interrupted"));
    // If it is pressed once more after the service has ended, npm ends by the signal itself: for a shell that is 130 too.
    expect(npm.signalCode === "SIGINT" ? 130 : npm.exitCode).toBe(130);
    expect(stoppingLines(shown())).toBe(1);
    await expect(RawConnection.open(origin)).rejects.toThrow();
  });
});

describe("the banner, when the operator key in its file does not work", () => {
  const keys = (cwd: string, ...args: string[]) => run(["keys", ...args], { cwd });
  const restarted = async (cwd: string): Promise<string> => {
    const service = await serve({ cwd });
    await service.kill("SIGTERM");
    const secret = await secretOf(cwd);
    expect(service.banner + service.logged()).not.toContain(secret);
    return service.banner;
  };
  const start = async () => {
    const cwd = temporaryFolder();
    await restarted(cwd);
    const [key] = JSON.parse((await keys(cwd, "list", "--json")).out);
    return { cwd, id: key.id as string };
  };

  const cases: [name: string, commands: (id: string) => string[][], words: (id: string) => string][] = [
    ["revoked", (id) => [["revoke", id, "--yes"]], (id) => `${id} was revoked`],
    ["rotated away", (id) => [["rotate", id, "--overlap", "0"]], (id) => `${id} was rotated`],
    [
      "suspended",
      (id) => [["suspend", id]],
      (id) => `${id} is suspended; to make it work again: animal-store keys resume ${id}`,
    ],
  ];
  for (const [name, commands, words] of cases)
    test(`${name}: says so, and how to get another one`, async () => {
      const { cwd, id } = await start();
      for (const command of commands(id)) expect(await keys(cwd, ...command)).toMatchObject({ exitCode: 0 });
      const banner = await restarted(cwd);
      expect(banner).toContain(`${cwd}/data/animal-store.operator-key\n`);
      expect(banner).toContain(`does not work: ${words(id)}`);
      expect(banner).toContain(`to issue one: animal-store keys create --name "Front desk" --plan business`);
      expect(banner).toContain('curl -H "Authorization: Bearer $API_KEY"');
      expect(banner).not.toContain("$(cat");
    });

  /** Sets back the time of something, which no command does. */
  const change = (cwd: string, statement: string): void => {
    const database = openDatabaseFile(join(cwd, "data/animal-store.db"));
    database.run(statement);
    database.close();
  };

  test("expired, deleted, or of another database: likewise", async () => {
    const { cwd, id } = await start();
    change(cwd, "UPDATE keys SET expires_at = 1000000000000");
    expect(await restarted(cwd)).toContain(`does not work: ${id} expired on 2001-09-09 01:46:40Z`);
    await keys(cwd, "revoke", id, "--yes");
    change(cwd, "UPDATE keys SET revoked_at = 1000000000000");
    expect(await keys(cwd, "delete", id, "--yes")).toMatchObject({ exitCode: 0 });
    expect(await restarted(cwd)).toContain("does not work: no key of this database has this secret, so it was deleted");
    const { cwd: elsewhere } = await start();
    await Bun.write(join(cwd, "data/animal-store.operator-key"), `${await secretOf(elsewhere)}\n`);
    expect(await restarted(cwd)).toContain("or the file is of another database");
  });
});
