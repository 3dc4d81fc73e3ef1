import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import type { ConsoleEndpoint } from "../../http/pages/console/relay.ts";
import { ConsoleHost } from "./console-host.ts";
import type { ForwardedLine } from "./forwarded-log.ts";

interface Data {
  readonly endpoint: ConsoleEndpoint | undefined;
}

const THREAD = JSON.stringify(join(import.meta.dir, "../../base/worker/thread.ts"));

/** The script of a console that answers, and dies when it is asked to. */
async function script({ start = "", methods = "" }): Promise<string> {
  const path = join(temporaryFolder(), "console.ts");
  await Bun.write(
    path,
    `import { runThread } from ${THREAD};
    runThread(({ endpoint }) => {
      ${start}
      const where = endpoint ? { unix: endpoint.socket } : { port: 0, hostname: "127.0.0.1" };
      const server = Bun.serve({ ...where, fetch: ({ url }) => {
        if (url.endsWith("/die")) setTimeout(() => { throw new Error("killed by a request"); });
        return new Response("alive");
      } });
      return { address: () => server.url.origin, isIdle: () => true, close: () => server.stop(true), ${methods} };
    });`,
  );
  return path;
}

/** `unmakable`: the numbers of starts for which no data can be made. */
async function hostOf(
  parts: Parameters<typeof script>[0] = {},
  isLasting = false,
  unmakable: ReadonlySet<number> = new Set(),
) {
  const said: string[] = [];
  const lines: ForwardedLine[] = [];
  let [made, nowMs] = [0, 0];
  const say = (...args: unknown[]) => void said.push(args.map((arg) => JSON.stringify(arg)).join(" "));
  const host = new ConsoleHost<Data>({
    newData: (endpoint) => {
      made++;
      if (unmakable.has(made)) throw new Error("the store has no handle");
      return { endpoint };
    },
    handlers: { log: (forwarded) => void lines.push(...forwarded) },
    hasRoom: () => true,
    time: { monotonicMs: () => nowMs },
    log: { info: say, warn: say, error: say },
    script: await script(parts),
    isLasting,
    checkIntervalMs: 5,
    restartPauseMs: 5,
  });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { host, said, made: () => made, advance };
}

const ask = async ({ socket }: ConsoleEndpoint, path = "/"): Promise<string> =>
  (await fetch(`http://console${path}`, { unix: socket } as RequestInit)).text();

/** `rejects` would block the event loop while it waits. */
const failureOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message);

describe("the host of the console's thread", () => {
  test("starts it once for all who ask at once, each time behind another endpoint", async () => {
    const { host, made } = await hostOf();
    const endpoints = await Promise.all([host.open(), host.open(), host.open()]);
    expect(made()).toBe(1);
    expect(new Set(endpoints.map(({ socket, password }) => socket + password)).size).toBe(1);
    expect(await ask(endpoints[0] as ConsoleEndpoint)).toBe("alive");
    await host.close();
    expect(await failureOf(host.open())).toContain("stopping");
    expect(await ask(endpoints[0] as ConsoleEndpoint).catch(() => "gone")).toBe("gone");
  });

  test("says why it has died, refuses for a moment, and starts it again", async () => {
    const { host, said, made, advance } = await hostOf();
    const endpoint = await host.open();
    await ask(endpoint, "/die");
    while (said.length === 0) await Bun.sleep(1);
    expect(said.join()).toContain("killed by a request");
    expect(await failureOf(host.open())).toContain("a moment ago");
    expect(made()).toBe(1);
    advance(1_000);
    const next = await host.open();
    expect(made()).toBe(2);
    expect(next.password).not.toBe(endpoint.password);
    expect(await ask(next)).toBe("alive");
    await host.close();
  });

  test("one that cannot start fails those who wait for it, and is tried again", async () => {
    const { host, said, made, advance } = await hostOf({ start: "throw new Error('no room');" });
    expect(await Promise.all([failureOf(host.open()), failureOf(host.open())])).toEqual(["no room", "no room"]);
    expect(said).toHaveLength(1);
    advance(1_000);
    expect(await failureOf(host.open())).toBe("no room");
    expect(made()).toBe(2);
    await host.close();
  });

  test("one that is busy is left alone, however long nobody has asked for it", async () => {
    const { host, said, advance } = await hostOf({ methods: "isIdle: () => false" });
    const endpoint = await host.open();
    advance(60 * 60_000);
    await Bun.sleep(50);
    expect(said).toEqual([]);
    expect(await ask(endpoint)).toBe("alive");
    await host.close();
  });

  test("one with a port of its own is started again by itself, and never ends because nobody asks", async () => {
    const { host, said, made, advance } = await hostOf({}, true);
    const address = await host.start();
    advance(60 * 60_000);
    await Bun.sleep(20);
    expect(made()).toBe(1);
    await fetch(`${address}/die`);
    while (made() === 1) await Bun.sleep(5);
    expect(said.filter((line) => line.includes("killed"))).toHaveLength(1);
    expect(await (await fetch((await host.start()) as string)).text()).toBe("alive");
    expect(await failureOf(host.open())).toContain("a port of its own");
    await host.close();
  });

  test("one that nothing could be made for is tried again, and no thread is left of the attempt", async () => {
    const { host, made } = await hostOf({}, true, new Set([2, 3]));
    await fetch(`${await host.start()}/die`);
    while (made() < 4) await Bun.sleep(1);
    expect(await (await fetch((await host.start()) as string)).text()).toBe("alive");
    expect(made()).toBe(4);
    await host.close();
  });

  test("one that does not close does not hold up a stop", async () => {
    const { host } = await hostOf({ methods: "close: () => new Promise(() => {})" });
    await host.open();
    await host.close();
  });
});
