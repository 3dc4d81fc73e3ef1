import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { OperatorError } from "../../src/base/operator-error.ts";
import { readConfig } from "../../src/config.ts";
import { start } from "../../src/start.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { freePort } from "../harness/servers/port.ts";

const log = pino({ level: "silent" });

function configOf(env: Record<string, string>) {
  const result = readConfig(env);
  if ("mistakes" in result) throw new Error(result.mistakes.join("\n"));
  return result.config;
}

/** A start that must fail, on a port and a database of its own; then one that must find both free again. */
async function failThenStart(env: (path: string) => Record<string, string>, mend: (path: string) => void) {
  const path = join(temporaryFolder(), "store.db");
  const settings = { PORT: String(await freePort()), DATABASE_URL: `sqlite:${path}` };
  await expect(start(configOf({ ...settings, ...env(path) }), { log })).rejects.toBeInstanceOf(OperatorError);
  mend(path);
  const service = await start(configOf(settings), { log });
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  await service.stop();
}

test("a start that finds its second port in use leaves the first one and the database free", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await failThenStart(
    () => ({ METRICS_PORT: String(other.port) }),
    () => {},
  );
  await other.stop(true);
});

test("a start that cannot write the operator's key leaves port and database free, and issues no key", async () => {
  const inTheWay = (path: string) => path.replace(/\.db$/, ".operator-key");
  await failThenStart(
    (path) => {
      mkdirSync(inTheWay(path));
      return {};
    },
    (path) => rmSync(inTheWay(path), { recursive: true }),
  );
});

test("a stop may be asked for twice, and both wait for the same", async () => {
  const service = await start(configOf({ PORT: "0", DATABASE_URL: `sqlite:${temporaryFolder()}/store.db` }), { log });
  expect(service.stop()).toBe(service.stop());
  await service.stop();
  await expect(fetch(service.origin)).rejects.toThrow();
});
