import { expect, test } from "bun:test";
import { join } from "node:path";
import { openFiles } from "./open-files.ts";

/** Counts before files are opened, while they are open, and afterwards. */
const COUNTING = `
  import { closeSync, openSync } from "node:fs";
  import { openFiles } from ${JSON.stringify(join(import.meta.dir, "open-files.ts"))};
  const { limit, count } = openFiles();
  const before = count();
  const opened = Array.from({ length: 20 }, () => openSync("/dev/null", "r"));
  const meanwhile = count();
  for (const file of opened) closeSync(file);
  console.log(JSON.stringify({ limit, before, meanwhile, after: count() }));
`;

test.if(process.platform === "linux")("the open files of a process are counted, and their limit is known", () => {
  // In this process, what other tests have left may be closed at any moment.
  const { stdout } = Bun.spawnSync([process.execPath, "-e", COUNTING]);
  const { limit, before, meanwhile, after } = JSON.parse(String(stdout));
  expect(limit).toBeGreaterThan(100);
  expect(before).toBeGreaterThan(0);
  expect([meanwhile, after]).toEqual([before + 20, before]);
});

test.if(process.platform === "linux")("at the limit, where they cannot be listed, all of them count as open", () => {
  const files = openFiles(() => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  });
  expect(files?.count()).toBe(files?.limit as number);
});
