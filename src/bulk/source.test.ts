import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
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
  expect(await failureOf(source)).toContain("has changed since it was validated");
  await source.close();
});
