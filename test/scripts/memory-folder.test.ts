import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { newMemoryFolder } from "../../scripts/testing/memory-folder.ts";
import { atEnd } from "../harness/cleanup.ts";

test("a folder in memory is open to all users, as /tmp is, and replaces those of runs that were killed", () => {
  const folder = newMemoryFolder();
  // Not every system has one, or memory to spare.
  if (folder === undefined) return;
  const removed = () => rmSync(folder, { recursive: true, force: true });
  atEnd(removed);
  expect(statSync(folder).mode & 0o7777).toBe(0o1777);
  const ended = Bun.spawnSync(["true"]).pid;
  const abandoned = folder.replace(String(process.pid), String(ended));
  mkdirSync(abandoned);
  removed();
  expect(newMemoryFolder()).toBe(folder);
  expect(existsSync(abandoned)).toBe(false);
});
