import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { openFiles } from "./open-files.ts";

test.if(process.platform === "linux")("the open files of this process are counted, and their limit is known", () => {
  const files = openFiles();
  if (!files) throw new Error("nothing is known");
  expect(files.limit).toBeGreaterThan(100);
  const before = files.count();
  const opened = Array.from({ length: 20 }, () => openSync("/dev/null", "r"));
  expect(files.count()).toBe(before + 20);
  for (const file of opened) closeSync(file);
  expect(files.count()).toBe(before);
});

test.if(process.platform === "linux")("at the limit, where they cannot be listed, all of them count as open", () => {
  const files = openFiles(() => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  });
  expect(files?.count()).toBe(files?.limit as number);
});
