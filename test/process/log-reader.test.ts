import { describe, expect, test } from "bun:test";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../harness/cleanup.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey } from "../harness/program/program.ts";
import { freePort } from "../harness/servers/port.ts";

/** Their lines are far more than what is held back. */
const REQUESTS = 9_000;

/** A named pipe that is open at both ends here, so that whoever writes to it finds a reader, even one that does not read. */
function newPipe(folder: string, name: string) {
  const path = join(folder, name);
  Bun.spawnSync(["mkfifo", path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  atEnd(() => closeSync(fd));
  const buffer = Buffer.alloc(65_536);
  return {
    path,
    /** Writes until there is no room left. */
    fill(): void {
      try {
        for (;;) writeSync(fd, buffer);
      } catch {}
      try {
        for (;;) writeSync(fd, "x");
      } catch {}
    },
    /** Returns its present content. */
    read(): string {
      let text = "";
      try {
        for (;;) text += buffer.toString("latin1", 0, readSync(fd, buffer));
      } catch {}
      return text;
    },
  };
}

/** Starts the service with its output and its log going to files or pipes, and waits until it is ready. */
async function serveTo(cwd: string, { out, log }: { out: string; log: string }) {
  const port = await freePort();
  const child = Bun.spawn(["sh", "-c", 'exec "$0" serve >"$1" 2>"$2"', EXECUTABLE, out, log], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), LOG_REQUESTS: "on" },
  });
  atEnd(() => child.kill("SIGKILL"));
  const origin = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await Bun.sleep(10);
  const secret = await issueBoundlessKey({ cwd });
  return { child, origin, secret };
}

async function ask({ origin, secret }: { origin: string; secret: string }, requests: number): Promise<void> {
  for (let sent = 0; sent < requests; sent += 100)
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const response = await fetch(`${origin}/v1/pets`, {
          headers: { Authorization: `Bearer ${secret}`, "X-Request-Id": `r${sent + i}`, Connection: "close" },
        });
        await response.text();
      }),
    );
}

const parsed = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("a log that nobody reads", () => {
  test("delays no answer and no stop", async () => {
    const cwd = temporaryFolder();
    const log = newPipe(cwd, "log");
    const service = await serveTo(cwd, { out: "/dev/null", log: log.path });
    await ask(service, 1_000);
    service.child.kill("SIGTERM");
    // Nothing has been read by then.
    expect(await service.child.exited).toBe(0);
  });

  test("is held back, then dropped, and says how much once it is read again", async () => {
    const cwd = temporaryFolder();
    const log = newPipe(cwd, "log");
    const service = await serveTo(cwd, { out: "/dev/null", log: log.path });
    await ask(service, REQUESTS);
    let text = "";
    while (!text.includes("dropped")) {
      text += log.read();
      await Bun.sleep(5);
    }
    await ask(service, 100);
    service.child.kill("SIGTERM");
    expect(await service.child.exited).toBe(0);
    const lines = parsed(text + log.read());
    const ids = lines.filter(({ msg }) => msg === "request").map(({ requestId }) => requestId);
    const dropped = lines.filter((line) => "dropped" in line);
    expect(dropped).toHaveLength(1);
    expect(ids.length + dropped[0].dropped).toBe(REQUESTS + 100);
    expect(lines.at(-1)).toMatchObject({ msg: "stopped" });
  });
});

test("a reader that reads gets every line of every thread, in its order, to the last", async () => {
  const cwd = temporaryFolder();
  const log = join(cwd, "log");
  const service = await serveTo(cwd, { out: "/dev/null", log });
  await ask(service, 1_000);
  service.child.kill("SIGTERM");
  expect(await service.child.exited).toBe(0);
  const lines = parsed(await Bun.file(log).text());
  expect(lines.filter(({ msg }) => msg === "request")).toHaveLength(1_000);
  expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
  // A line of another thread may have been on its way when the signal came.
  const others = lines.filter(({ msg }) => msg !== "request");
  expect(others.slice(-2)).toMatchObject([{ msg: "stopping" }, { msg: "stopped" }]);
  expect(lines.at(-1)).toBe(others.at(-1));
});

test("a standard output that nobody reads delays neither", async () => {
  const cwd = temporaryFolder();
  const out = newPipe(cwd, "out");
  out.fill();
  const { child, origin } = await serveTo(cwd, { out: out.path, log: "/dev/null" });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  let banner = "";
  while (!banner.includes("Ctrl+C")) {
    banner += out.read();
    await Bun.sleep(5);
  }
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("a crash is the last line of the log, and exit code 1", async () => {
  const serveModule = join(import.meta.dir, "../../src/cli/serve.ts");
  const script = `
    const { serve } = await import(${JSON.stringify(serveModule)});
    await serve();
    setTimeout(() => { throw new Error("out of luck"); });
  `;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0" };
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: temporaryFolder(), env, stderr: "pipe" });
  const lines = parsed(await new Response(child.stderr).text());
  expect(await child.exited).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    level: "error",
    msg: "the service has crashed",
    err: { message: "out of luck", stack: expect.any(String) },
  });
});
