import { expect, test } from "bun:test";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, type RunningService, serve } from "../harness/program/program.ts";
import { clientOf } from "../harness/requests/client.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { databaseMaker } from "../harness/servers/postgres.ts";
import { hasRedis, TestRedis } from "../harness/servers/redis.ts";

const isSkipped = !hasRedis || !hasNginx;
const INSTANCES = 3;
const cwd = temporaryFolder();
const newDatabase = isSkipped ? undefined : await databaseMaker();
const redis = isSkipped ? undefined : await TestRedis.start();

const originsOf = (fleet: readonly RunningService[]): string[] => fleet.map(({ origin }) => origin);

test.skipIf(isSkipped)("a rolling restart of all instances behind nginx, under load, fails no request", async () => {
  const env = {
    DATABASE_URL: (await newDatabase?.()) as string,
    REDIS_URL: redis?.url as string,
    LOG_LEVEL: "warn",
    TRUSTED_PROXIES: "127.0.0.1",
  };
  const secret = await issueBoundlessKey({ cwd, env });
  const headers = {
    Authorization: `Bearer ${secret}`,
    "Content-Type": "application/json",
    Connection: "close",
  };
  let fleet = await Promise.all(Array.from({ length: INSTANCES }, () => serve({ cwd, env })));
  const nginx = await TestNginx.start(originsOf(fleet));
  const base = `${nginx.origin}/v1`;

  const statuses = new Map<number | string, number>();
  let isOver = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let i = 0; !isOver; i++) {
      const body = JSON.stringify({ name: `client ${client}, animal ${i}`, categoryId: client });
      const result = await fetch(`${base}/pets`, i % 2 ? { headers } : { headers, method: "POST", body }).then(
        (response) => response.text().then(() => response.status),
        (error: Error) => error.message,
      );
      statuses.set(result, (statuses.get(result) ?? 0) + 1);
    }
  });

  for (const old of fleet) {
    nginx.route(originsOf(fleet), old.origin);
    await nginx.reload();
    await Bun.sleep(200);
    expect(await old.kill("SIGTERM")).toBe(0);
    const fresh = await serve({ cwd, env });
    fleet = fleet.map((instance) => (instance === old ? fresh : instance));
    nginx.route(originsOf(fleet));
    await nginx.reload();
    await Bun.sleep(200);
  }
  isOver = true;
  await Promise.all(clients);
  await nginx.stop();
  expect([...statuses.keys()].sort()).toEqual([200, 201]);
  expect(statuses.get(201)).toBeGreaterThan(50);

  const names = new Set<string>();
  const [first] = fleet as [RunningService];
  for await (const { name } of clientOf(first, secret).pets.list({ limit: 100 })) names.add(name);
  expect(names.size).toBe(statuses.get(201) as number);
  await Promise.all(fleet.map((instance) => instance.kill("SIGTERM")));
});
