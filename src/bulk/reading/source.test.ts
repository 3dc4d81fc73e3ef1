import { expect, test } from "bun:test";
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { openSource, type Source } from "./source.ts";

const folder = temporaryFolder();
const path = join(folder, "file");

async function bytesOf(source: Source): Promise<number> {
  let bytes = 0;
  for await (const block of source.blocks()) bytes += block.length;
  return bytes;
}

const failureOf = (source: Source) =>
  bytesOf(source).then(
    () => undefined,
    (error: Error) => error.message,
  );

test("a file is read again as it was, also when its name is gone", async () => {
  writeFileSync(path, "x".repeat(200_000));
  const source = await openSource(path, new AbortController().signal);
  expect(await bytesOf(source)).toBe(200_000);
  rmSync(path);
  expect(await bytesOf(source)).toBe(200_000);
  await source.close();
});

test.each([
  ["shorter", "x".repeat(199_999)],
  ["longer", "x".repeat(200_001)],
  ["longer by whole blocks", "x".repeat(64 * 1024 * 4)],
  ["different", `${"x".repeat(100_000)}y${"x".repeat(99_999)}`],
  ["empty", ""],
])("a file that is %s the second time is noticed", async (_, content) => {
  writeFileSync(path, "x".repeat(content.length === 64 * 1024 * 4 ? 64 * 1024 * 3 : 200_000));
  const source = await openSource(path, new AbortController().signal);
  await bytesOf(source);
  writeFileSync(path, content);
  expect(await failureOf(source)).toBe("changed");
  await source.close();
});

/** The files that this process has open in a folder, deleted ones included. */
const openIn = (place: string): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(place) ? [target] : [];
    } catch {
      return [];
    }
  });

const SPOOLS = join(tmpdir(), "animal-store-import-");

test("whoever stops while a file is being opened leaves none open, which would end the thread when it is collected", async () => {
  writeFileSync(path, "x");
  for (const stopAt of ["before", "meanwhile"]) {
    const stop = new AbortController();
    if (stopAt === "before") stop.abort(new Error("stopped"));
    const opening = openSource(path, stop.signal);
    stop.abort(new Error("stopped"));
    expect(await opening.catch((error: Error) => error.message)).toBe("stopped");
    // It is closed when it has been opened.
    while (openIn(path).length > 0) await Bun.sleep(1);
    for (let i = 0; i < 3; i++) {
      await Bun.sleep(1);
      Bun.gc(true);
    }
    expect(openIn(path)).toEqual([]);
  }
});

test("whoever stops while input that can be read once is being kept leaves nothing of it open", async () => {
  const pipe = join(folder, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const writer = Bun.spawn(["sh", "-c", `exec 3>"$0"; echo x >&3; read -r line`, pipe], { stdin: "pipe" });
  const stop = new AbortController();
  const opening = openSource(pipe, stop.signal).catch((error: Error) => error.message);
  while (openIn(SPOOLS).length === 0) await Bun.sleep(1);
  stop.abort(new Error("stopped"));
  expect(await opening).toBe("stopped");
  expect(openIn(SPOOLS)).toEqual([]);
  writer.kill();
  await writer.exited;
});
