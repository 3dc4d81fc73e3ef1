import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { join } from "node:path";

const LOG = join(import.meta.dir, "log.ts");

/** Runs a program that has a `createLog`, since logs go to the standard error of their process. */
async function run(program: string, stderr: "pipe" | number = "pipe") {
  const child = Bun.spawn([process.execPath, "-e", `import { createLog } from ${JSON.stringify(LOG)};\n${program}`], {
    stdout: "pipe",
    stderr,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    typeof child.stderr === "object" ? new Response(child.stderr).text() : "",
  ]);
  const lines = err
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { exitCode: await child.exited, out, lines };
}

test("lines logged before pino is loaded keep their order and the time they were logged at", async () => {
  const { lines, out } = await run(`
    const log = createLog("info");
    log.info({ file: "a" }, "first");
    console.log(Date.now());
    await Bun.sleep(20);
    log.error({ err: new Error("broken") }, "second");
    await log.flush();
    log.warn("third");
  `);
  expect(lines).toMatchObject([
    { level: "info", file: "a", msg: "first" },
    { level: "error", err: { message: "broken" }, msg: "second" },
    { level: "warn", msg: "third" },
  ]);
  for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [first, second] = lines.map(({ time }) => Date.parse(time)) as [number, number];
  expect(first).toBeLessThanOrEqual(Number(out));
  expect(second - first).toBeGreaterThanOrEqual(19);
});

test("lines are written without a flush too, once pino is loaded", async () => {
  const { lines } = await run(`createLog("info").info("alone");`);
  expect(lines).toMatchObject([{ msg: "alone" }]);
});

test("the level decides what is written; silent writes nothing", async () => {
  const logAll = (level: string) => `
    const log = createLog("${level}");
    log.info("info"); log.warn("warn"); log.error("error");
    await log.flush();
    log.info("info"); log.error("error");
  `;
  expect((await run(logAll("error"))).lines.map((line) => line.msg)).toEqual(["error", "error"]);
  expect((await run(logAll("silent"))).lines).toEqual([]);
});

test("a log that cannot be written does not fail the program", async () => {
  const { exitCode, out } = await run(
    `
    const log = createLog("info");
    for (let i = 0; i < 3; i++) log.info("lost");
    await log.flush();
    log.info("lost too");
    console.log("still running");
    `,
    openSync("/dev/full", "w"),
  );
  expect([exitCode, out]).toEqual([0, "still running\n"]);
});
