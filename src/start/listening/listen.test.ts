import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { atFileLimit } from "../../../test/harness/file-limit.ts";
import { RawConnection } from "../../../test/harness/requests/raw.ts";
import { DRAIN_STEPS } from "./drain.ts";
import { bind, Listeners } from "./listen.ts";
import { Listener } from "./listener.ts";

async function drain(listeners: Listeners): Promise<void> {
  for (const step of DRAIN_STEPS) await listeners.takeStep(step);
}

test("until it is said what to answer, the answer is 503 with Retry-After", async () => {
  const opened = new AsyncDisposableStack();
  const listeners = new Listeners(opened);
  const listener = listeners.listen("127.0.0.1", 0, "PORT");
  const { origin } = listener;
  const starting = await fetch(`${origin}/v1/pets`);
  expect([starting.status, starting.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await starting.json()).toMatchObject({ code: "service_unavailable", status: 503 });
  listener.serve({ fetch: () => new Response("ready") });
  expect(await (await fetch(origin)).text()).toBe("ready");
  await opened.disposeAsync();
});

test("draining lets a request in progress finish", async () => {
  const opened = new AsyncDisposableStack();
  const listeners = new Listeners(opened);
  const listener = listeners.listen("127.0.0.1", 0, "PORT");
  const { origin } = listener;
  const work = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  listener.serve({
    async fetch() {
      arrived.resolve();
      await work.promise;
      return new Response("done");
    },
  });
  const answer = fetch(origin).then((response) => response.text());
  await arrived.promise;
  const drained = drain(listeners);
  work.resolve();
  expect(await answer).toBe("done");
  await drained;
  await expect(fetch(origin)).rejects.toThrow();
  await opened.disposeAsync();
});

test("a port that is in use is an OperatorError that names the setting", async () => {
  const opened = new AsyncDisposableStack();
  const listeners = new Listeners(opened);
  const { origin } = listeners.listen("127.0.0.1", 0, "PORT");
  const port = Number(new URL(origin).port);
  expect(() => listeners.listen("127.0.0.1", port, "METRICS_PORT")).toThrow(/is in use: .* set METRICS_PORT/);
  await opened.disposeAsync();
});

test("an announced stop closes no port: connections still come and are limited, and each ends with its next response", async () => {
  const opened = new AsyncDisposableStack();
  const listeners = new Listeners(opened);
  const listener = listeners.listen("127.0.0.1", 0, "PORT");
  const { origin } = listener;
  listener.serve({ fetch: () => new Response("ok") });
  listeners.announceStop();
  const unfinished = await RawConnection.open(origin);
  unfinished.send("GET / HTTP/1.1\r\n");
  listeners.limit(true);
  listeners.renew();
  await unfinished.until(() => false);
  expect(unfinished.isClosed).toBe(true);
  listeners.limit(false);
  const response = await fetch(origin);
  expect([await response.text(), response.headers.get("connection")]).toEqual(["ok", "close"]);
  await drain(listeners);
  listeners.renew();
  await expect(fetch(origin)).rejects.toThrow();
  await opened.disposeAsync();
});

test.if(process.platform === "linux")(
  "a renewed port is listened on throughout; only if that fails is it closed first, the next time",
  async () => {
    const listening: number[] = [];
    let canBind = true;
    /** The sockets that listen on the port, by the system's table: in hexadecimal, with state 0A. */
    const countOn = (port: number): number => {
      const hex = port.toString(16).toUpperCase().padStart(4, "0");
      const line = new RegExp(`0100007F:${hex} 00000000:0000 0A`, "g");
      return readFileSync("/proc/net/tcp", "utf8").match(line)?.length ?? 0;
    };
    const listener = new Listener("127.0.0.1", 0, false, (port, isShared) => {
      listening.push(countOn(port));
      if (!canBind) throw new Error("too many open files");
      return bind("127.0.0.1", "PORT", port, isShared);
    });
    listener.serve({ fetch: () => new Response("ok") });
    const { origin, port } = listener;
    listener.renew();
    expect([...listening, countOn(port)]).toEqual([0, 1, 1]);
    const { status } = await fetch(origin, { headers: { Connection: "close" } });
    expect(status).toBe(200);
    expect(() => bind("127.0.0.1", "PORT", port)).toThrow(/is in use/);
    canBind = false;
    expect(() => listener.renew()).toThrow();
    expect((await fetch(origin, { headers: { Connection: "close" } })).status).toBe(200);
    expect(() => listener.renew()).toThrow();
    canBind = true;
    listener.renew();
    expect(listening.slice(2)).toEqual([1, 0, 0]);
    listener.renew();
    expect(listening.at(-1)).toBe(1);
    expect(await (await fetch(origin)).text()).toBe("ok");
    await listener.finish(0);
  },
);

test.if(process.platform === "linux")("a port is renewed also at the limit of open files, time and again", async () => {
  const said = await atFileLimit(`
    import { Listeners } from ${JSON.stringify(`${import.meta.dir}/listen.ts`)};
    const listeners = new Listeners(new AsyncDisposableStack());
    const listener = listeners.listen("127.0.0.1", 0, "PORT");
    listener.serve({ fetch: () => new Response("ok") });
    listeners.limit(true);
    for (let times = 0; times < 3; times++) {
      const free = useUp(0);
      try { listeners.renew(); say("renewed"); } catch (error) { say(error.message); }
      free();
      say(await (await fetch(listener.origin, { headers: { Connection: "close" } })).text());
      listeners.limit(true);
    }`);
  expect(said).toEqual(["renewed", "ok", "renewed", "ok", "renewed", "ok"]);
});
