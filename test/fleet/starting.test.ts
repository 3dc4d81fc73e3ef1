import { expect, test } from "bun:test";
import { STARTING } from "../../src/http/faults/faults.ts";
import { openForCommand } from "../../src/store/open.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../src/store/urls/database-url.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { serve } from "../harness/program/program.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { freePort } from "../harness/servers/port.ts";
import { emptyDatabaseMaker } from "../harness/servers/postgres.ts";

const newDatabase = await emptyDatabaseMaker();

/** The first response of a starting instance. */
async function firstAnswer(url: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return answer;
    await Bun.sleep(2);
  }
}

test("an instance that waits for Redis at its start refuses connections, so that a proxy uses the others", async () => {
  const port = String(await freePort());
  const env = { DATABASE_URL: await newDatabase(), REDIS_URL: "redis://127.0.0.1:1", PORT: port, LOG_LEVEL: "silent" };
  const starting = serve({ cwd: temporaryFolder(), env });
  const first = await firstAnswer(`http://127.0.0.1:${port}/v1/pets`);
  expect(first.status).toBe(401);
  await (await starting).kill("SIGTERM");
});

test("an instance that listens and has not started yet says so: 503 with all headers under /v1, alive, not ready", async () => {
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const cwd = temporaryFolder();
  const file = `${cwd}/store.db`;
  // A store without a key, whose first key cannot be written yet.
  await (await openForCommand(parseDatabaseUrl(`sqlite:${file}`) as DatabaseUrl, { create: true })).close();
  const other = openDatabaseFile(file);
  other.exec("BEGIN IMMEDIATE");
  const starting = serve({ cwd, env: { DATABASE_URL: `sqlite:${file}`, PORT: port, LOG_LEVEL: "silent" } });

  const first = await firstAnswer(`${origin}/v1/pets`);
  const answers = await Promise.all([
    fetch(`${origin}/v1/pets`, { method: "POST", body: "{}", headers: { Authorization: "Bearer pk_unknown" } }),
    fetch(`${origin}/v1/nothing`),
    fetch(`${origin}/v1`),
  ]);
  for (const answer of [first, ...answers]) {
    const { code, message } = STARTING;
    expect([answer.status, await answer.json()]).toEqual([503, { code, message, status: 503 }]);
    expect(answer.headers.get("retry-after")).toBe("2");
  }
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);

  other.exec("ROLLBACK");
  other.close();
  const service = await starting;
  const started = await fetch(`${origin}/v1/pets`);
  expect(started.status).toBe(401);
  const names = (response: Response) => [...response.headers.keys()].sort();
  const common = names(started).filter((name) => name !== "www-authenticate");
  expect(common).toContain("x-ratelimit-reset");
  expect(names(first)).toEqual([...common, "retry-after"].sort());
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  await service.kill("SIGTERM");
});
