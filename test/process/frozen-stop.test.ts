import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, postAnimal, type RunningService, serve } from "../harness/program/program.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { TestPostgres, withSql } from "../harness/servers/postgres.ts";

const GIVEN_UP = "stopped without waiting for the store any longer: what was acknowledged is safe, counters may not be";

const messagesOf = (service: RunningService): string[] =>
  service
    .logged()
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

/** Each step that failed is named in the log, and the one that was being waited for at the end is given up with the rest. */
function expectGivenUp(service: RunningService): void {
  const all = messagesOf(service);
  const [first, ...failed] = all.slice(all.indexOf("stopping"));
  expect([first, failed.pop()]).toEqual(["stopping", GIVEN_UP]);
  expect(failed).toContain("could not store the usage");
  for (const message of failed) expect(message).toStartWith("could not ");
}

/** A service with threads that has acknowledged an animal, and has not stored the usage yet. */
async function busyService(env: Record<string, string>) {
  const cwd = temporaryFolder();
  const service = await serve({ cwd, env, threads: 2 });
  const secret = await issueBoundlessKey({ cwd, env });
  expect((await postAnimal(service, secret, "Rex")).status).toBe(201);
  return { cwd, service };
}

test("a stop beside a PostgreSQL that is frozen gives up what has to be saved, ends by itself, and says so last", async () => {
  const postgres = await TestPostgres.start();
  const url = await postgres.database();
  const { service } = await busyService({ DATABASE_URL: url });
  postgres.pause();
  expect(await service.kill("SIGTERM")).toBe(0);
  postgres.resume();
  expectGivenUp(service);
  const [animal] = await withSql(url, (sql) => sql`SELECT name FROM animals`);
  expect(animal.name).toBe("Rex");
});

test("a stop while another process holds the lock of the file ends by itself, and says so last", async () => {
  const { cwd, service } = await busyService({});
  using other = openDatabaseFile(join(cwd, "data/animal-store.db"));
  other.run("BEGIN IMMEDIATE");
  expect(await service.kill("SIGTERM")).toBe(0);
  other.run("COMMIT");
  expectGivenUp(service);
  expect(other.query("SELECT name FROM animals").all()).toMatchObject([{ name: "Rex" }]);
});
