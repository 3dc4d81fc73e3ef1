import { expect, test } from "bun:test";
import { temporaryFolder } from "../harness/folder.ts";
import { freePort } from "../harness/port.ts";
import { databaseMaker } from "../harness/postgres.ts";
import { serve } from "../harness/program.ts";

const newDatabase = await databaseMaker();

test("an instance that waits for Redis at its start refuses connections, so that a proxy uses the others", async () => {
  const port = String(await freePort());
  const env = { DATABASE_URL: await newDatabase(), REDIS_URL: "redis://127.0.0.1:1", PORT: port, LOG_LEVEL: "silent" };
  const starting = serve({ cwd: temporaryFolder(), env });
  let first: Response | undefined;
  while (!first) {
    first = await fetch(`http://127.0.0.1:${port}/v1/pets`).catch(() => undefined);
    await Bun.sleep(5);
  }
  expect(first.status).toBe(401);
  await (await starting).kill("SIGTERM");
});
