import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { run, serve } from "../harness/program/program.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";

describe("start", () => {
  test("the first start makes the folder, and issues the operator's key for its owner alone", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd });
    const keyFile = join(cwd, "data/animal-store.operator-key");
    expect(service.banner).toMatch(new RegExp(`Docs +${service.origin}/docs\n`));
    expect(service.banner).toContain(keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, "data")).mode & 0o777).toBe(0o700);
    expect(await service.kill("SIGTERM")).toBe(0);
  });

  test.skipIf(!Bun.which("curl"))("the banner's curl line works when it is pasted, in any folder", async () => {
    const service = await serve({ cwd: temporaryFolder() });
    const line = /Try +(curl .+)/.exec(service.banner)?.[1] as string;
    const curl = Bun.spawn(["sh", "-c", line], { cwd: "/", stdout: "pipe", stderr: "ignore" });
    expect(await new Response(curl.stdout).text()).toBe("[]");
    await service.kill("SIGTERM");
  });

  test("a later start issues no second key, and the first one goes on working", async () => {
    const cwd = temporaryFolder();
    await (await serve({ cwd })).kill("SIGTERM");
    const file = Bun.file(join(cwd, "data/animal-store.operator-key"));
    const secret = await file.text();
    const again = await serve({ cwd });
    expect(await file.text()).toBe(secret);
    const response = await fetch(`${again.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret.trim()}` } });
    expect(response.headers.get("x-ratelimit-limit")).toBe("1000");
    await again.kill("SIGTERM");
    rmSync(join(cwd, "data/animal-store.operator-key"));
    const without = await serve({ cwd });
    expect(without.banner).toContain("keys create");
    await without.kill("SIGTERM");
  });

  test("every mistake in the configuration is reported at once, with exit code 1", async () => {
    const { exitCode, out, err } = await run(["serve"], {
      cwd: temporaryFolder(),
      env: { PORT: "x", LOG_LEVEL: "loud", HOST: "a b" },
    });
    expect(exitCode).toBe(1);
    expect(out).toBe("");
    expect(err.trim().split("\n")).toHaveLength(4);
    expect(err).toContain("the configuration has 3 errors:");
  });

  test("what makes a start impossible is one clear line and exit code 1", async () => {
    const cwd = temporaryFolder();
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    writeFileSync(join(cwd, "letter.txt"), "Dear reader, this is no database. ".repeat(100));
    mkdirSync(join(cwd, "data"));
    const foreign = openDatabaseFile(join(cwd, "foreign.db"));
    foreign.run("CREATE TABLE invoices (id INTEGER)");
    foreign.close();
    await (await serve({ cwd, env: { DATABASE_URL: "sqlite:newer.db" } })).kill("SIGTERM");
    const newer = openDatabaseFile(join(cwd, "newer.db"));
    newer.run("INSERT INTO migrations (number, name, digest, applied_at) VALUES (99, 'later', 'x', 0)");
    newer.close();
    const running = await serve({ cwd, env: { DATABASE_URL: "sqlite:running.db" } });

    const impossible = [
      [{ PORT: String(taken.port) }, `port ${taken.port} on 127.0.0.1 is in use: stop what uses it, or set PORT`],
      [
        { METRICS_PORT: String(taken.port) },
        `port ${taken.port} on 127.0.0.1 is in use: stop what uses it, or set METRICS_PORT`,
      ],
      [{ HOST: "192.0.2.1" }, "cannot listen on 192.0.2.1"],
      [{ HOST: "no.such.host.invalid" }, ". HOST must be an address of this machine"],
      [
        { METRICS_PORT: "0", METRICS_HOST: "no.such.host.invalid" },
        ". METRICS_HOST must be an address of this machine",
      ],
      [{ DATABASE_URL: "sqlite:/proc/nowhere/a.db" }, "cannot create the folder /proc/nowhere"],
      [{ DATABASE_URL: "sqlite:letter.txt" }, "file is not a database"],
      [{ DATABASE_URL: "sqlite:data" }, `${join(cwd, "data")} is a folder: name a file in DATABASE_URL`],
      [{ DATABASE_URL: "sqlite:foreign.db" }, "the database of another program"],
      [{ DATABASE_URL: "sqlite:newer.db" }, "schema 99, which needs a version that knows schema 99"],
      [{ DATABASE_URL: "sqlite:running.db" }, `another process is already serving ${join(cwd, "running.db")}`],
    ] as const;
    await Promise.all(
      impossible.map(async ([env, reason], i) => {
        const defaults = { PORT: "0", LOG_LEVEL: "error", DATABASE_URL: `sqlite:${i}.db` };
        const { exitCode, out, err } = await run(["serve"], { cwd, env: { ...defaults, ...env } });
        expect([exitCode, out]).toEqual([1, ""]);
        expect(err).toStartWith("animal-store: ");
        expect(err).toContain(reason);
        expect(err.trim().split("\n")).toHaveLength(1);
      }),
    );
    taken.stop();
    expect(await running.kill("SIGTERM")).toBe(0);
  });
});

const connects = (origin: string): Promise<boolean> =>
  RawConnection.open(origin).then(
    (connection) => {
      connection.destroy();
      return true;
    },
    () => false,
  );

describe("stop", () => {
  test("npm start passes SIGTERM on, and nothing is left running", async () => {
    const root = join(import.meta.dir, "../..");
    const cwd = temporaryFolder();
    const env = { ...process.env, PORT: "0", DATABASE_URL: `sqlite:${join(cwd, "a.db")}` };
    const npm = Bun.spawn(["npm", "start"], { cwd: root, env, stdout: "pipe", stderr: "ignore" });
    let out = "";
    for await (const chunk of npm.stdout) {
      out += new TextDecoder().decode(chunk);
      if (out.includes("Ctrl+C")) break;
    }
    npm.kill("SIGTERM");
    await npm.exited;
    const origin = /API +(\S+)\/v1/.exec(out)?.[1] as string;
    await expect(RawConnection.open(origin)).rejects.toThrow();
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    test(`${signal}: no new connections, what is under way finishes, exit code 0`, async () => {
      const cwd = temporaryFolder();
      const service = await serve({ cwd });
      const secret = (await Bun.file(join(cwd, "data/animal-store.operator-key")).text()).trim();
      const idle = await RawConnection.open(service.origin);
      idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
      await idle.answer();
      const begun = await RawConnection.open(service.origin);
      begun.send("GET /v1/pe");
      const busy = await RawConnection.open(service.origin);
      const body = '{"name":"Last","categoryId":1}';
      busy.send(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
      );
      await Bun.sleep(100);

      const gone = service.kill(signal);
      await idle.until(() => false);
      // The threads close the port one after the other.
      while (await connects(service.origin)) await Bun.sleep(1);
      busy.send(body.slice(10));
      expect(await busy.answer()).toStartWith("HTTP/1.1 201");
      expect(await gone).toBe(0);

      const again = await serve({ cwd });
      const pets = await (
        await fetch(`${again.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } })
      ).json();
      expect(pets).toEqual([{ id: 1, name: "Last", categoryId: 1, status: "available" }]);
      await again.kill("SIGTERM");
    });
});
