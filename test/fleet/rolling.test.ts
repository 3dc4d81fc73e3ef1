import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { freePort } from "../harness/port.ts";
import { databaseMaker } from "../harness/postgres.ts";
import { issueBoundlessKey, type RunningService, serve } from "../harness/program.ts";
import { hasRedis, TestRedis } from "../harness/redis.ts";

const isSkipped = !hasRedis || !Bun.which("nginx");
const INSTANCES = 3;
const cwd = temporaryFolder();
const newDatabase = isSkipped ? undefined : await databaseMaker();
const redis = isSkipped ? undefined : await TestRedis.start();

/** The nginx of deploy/, with the addresses of processes instead of containers. */
async function startNginx(port: number) {
  const folder = temporaryFolder();
  const server = await Bun.file(new URL("../../deploy/nginx/server.conf", import.meta.url)).text();
  const upstream = await Bun.file(new URL("../../deploy/nginx/upstream.conf", import.meta.url)).text();
  writeFileSync(join(folder, "server.conf"), server.replace("listen 8080;", `listen 127.0.0.1:${port};`));
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const main = join(folder, "nginx.conf");
  writeFileSync(
    main,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events { worker_connections 4096; }\nhttp { access_log off;\n${paths}\ninclude ${folder}/server.conf; include ${folder}/upstream.conf; }`,
  );
  /** Writes upstream.conf: every instance, and which of them is to be passed over. */
  const route = (instances: readonly RunningService[], down?: RunningService) => {
    const lines = instances.map(
      (instance) => `  server ${new URL(instance.origin).host}${instance === down ? " down" : ""};`,
    );
    writeFileSync(join(folder, "upstream.conf"), upstream.replace(/( {2}server .*;\n)+/, `${lines.join("\n")}\n`));
  };
  return {
    route,
    start() {
      const nginx = Bun.spawn(["nginx", "-c", main, "-p", folder], { stdout: "ignore", stderr: "ignore" });
      afterAll(() => nginx.kill("SIGKILL"));
      return nginx;
    },
    reload: () => expect(Bun.spawnSync(["nginx", "-c", main, "-p", folder, "-s", "reload"]).success).toBe(true),
  };
}

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
  const port = await freePort();
  const nginx = await startNginx(port);
  nginx.route(fleet);
  const proxy = nginx.start();
  const base = `http://127.0.0.1:${port}/v1`;
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.ok,
      () => false,
    ))
  )
    await Bun.sleep(20);

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
    nginx.route(fleet, old);
    nginx.reload();
    await Bun.sleep(200);
    expect(await old.kill("SIGTERM")).toBe(0);
    const fresh = await serve({ cwd, env });
    fleet = fleet.map((instance) => (instance === old ? fresh : instance));
    nginx.route(fleet);
    nginx.reload();
    await Bun.sleep(200);
  }
  isOver = true;
  await Promise.all(clients);
  proxy.kill("SIGTERM");
  expect([...statuses.keys()].sort()).toEqual([200, 201]);
  expect(statuses.get(201)).toBeGreaterThan(50);

  const names = new Set<string>();
  for (let next: string | undefined = `${fleet[0]?.origin}/v1/pets?limit=100`; next; ) {
    const page: Response = await fetch(next, { headers });
    for (const { name } of (await page.json()) as { name: string }[]) names.add(name);
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  expect(names.size).toBe(statuses.get(201) as number);
  await Promise.all(fleet.map((instance) => instance.kill("SIGTERM")));
});
