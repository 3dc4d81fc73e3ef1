import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isGood, type RunResult, runBatches, summarize } from "../../scripts/testing/test-run.ts";
import { temporaryFolder } from "../harness/folder.ts";

const GOOD = `import { test } from "bun:test";
  test("one", () => {});
  test.each([1, 2])("number %d", () => {});`;
const BAD = `import { expect, test } from "bun:test";
  test("two", () => expect(1).toBe(2));
  test("three", () => {});`;
const SKIPPING = `import { test } from "bun:test";
  test.skip("four", () => {});
  test("five", () => {});`;
const HANGING = `import { test } from "bun:test";
  test("six", () => {});
  test("seven", () => { require("node:fs").writeFileSync("begun", ""); for (;;); });
  test("eight", () => {});`;
const LEAVING = `import { test } from "bun:test";
  test("nine", () => void Bun.spawn(["sleep", "1234567"]));`;
const THROWING = `throw new Error("no stage");`;

async function runAll(
  sources: Record<string, string>,
  options: { limitMs?: number; signal?: AbortSignal; workers?: number; cwd?: string; together?: boolean } = {},
): Promise<RunResult & { printed: string; summary: string }> {
  const { cwd = temporaryFolder() } = options;
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(cwd, `${name}.test.ts`), source);
  let printed = "";
  const files = Object.keys(sources).map((name) => `${name}.test.ts`);
  const result = await runBatches(options.together ? [files] : files.map((file) => [file]), {
    env: process.env,
    options: [],
    signal: new AbortController().signal,
    outputs: temporaryFolder(),
    print: (text) => {
      printed += text;
    },
    goneWithinMs: 200,
    ...options,
    cwd,
  });
  return { ...result, printed, summary: summarize(result, 1_000) };
}

function expectReasons(summary: string): void {
  expect(summary).toStartWith("(skip) skipping.test.ts: four\n(fail) bad.test.ts: two\n");
  expect(summary).toMatch(/: two\nerror: .*\nExpected: 2\nReceived: 1\n.*\n 5 pass\n 1 skip\n/s);
}

test("totals are those of all files; skipped tests are named at the end, and failed ones with the reason", async () => {
  const { printed, summary, ...result } = await runAll({ good: GOOD, bad: BAD, skipping: SKIPPING });
  expect(isGood(result)).toBe(false);
  expectReasons(summary);
  expect(summary).toContain("\n 1 fail\nRan 3 of 3 files.");
  expect(printed).toContain("expect(received).toBe(expected)");
  // The totals of a single file would be counted twice.
  expect(printed).not.toMatch(/^ *\d+ pass$/m);
});

test("a run without a failure is good", async () => {
  const { summary, ...result } = await runAll({ good: GOOD });
  expect(isGood(result)).toBe(true);
  expect(summary).toContain("\n 3 pass\n 0 skip\n 0 todo\n 0 fail\nRan 1 of 1 files.");
});

test("a file that throws before its tests fails the run", async () => {
  const { summary, ...result } = await runAll({ throwing: THROWING, good: GOOD });
  expect(isGood(result)).toBe(false);
  expect(summary).toContain("throwing.test.ts failed outside of its tests\n");
  expect(summary).toContain("\n 3 pass\n");
});

test("a file that hangs is ended and named", async () => {
  const { summary, ...result } = await runAll({ hanging: HANGING, good: GOOD }, { limitMs: 500 });
  expect(isGood(result)).toBe(false);
  expect(summary).toContain("hanging.test.ts did not finish\n");
});

/** Runs files, and ends the run when the one that hangs has begun. */
async function runUntilItHangs(options: { workers?: number; together?: boolean }) {
  const end = new AbortController();
  const cwd = temporaryFolder();
  const running = runAll({ good: GOOD, hanging: HANGING, later: GOOD }, { ...options, signal: end.signal, cwd });
  while (!existsSync(join(cwd, "begun"))) await Bun.sleep(5);
  end.abort();
  return running;
}

test("a run that is cut off says which files did not finish and which were not begun, and counts what passed", async () => {
  const { summary, ...result } = await runUntilItHangs({ workers: 1 });
  expect(isGood(result)).toBe(false);
  expect(summary).toContain("hanging.test.ts did not finish\nlater.test.ts was not begun\n\n 4 pass\n");
});

test.skipIf(process.platform !== "linux")("processes that a file leaves behind are ended and named", async () => {
  const { summary } = await runAll({ leaving: LEAVING });
  expect(summary).toContain("left running by leaving.test.ts: sleep 1234567\n");
});

test("files that share a process are told apart", async () => {
  const sources = { good: GOOD, bad: BAD, skipping: SKIPPING };
  const { summary, printed } = await runAll(sources, { together: true });
  expectReasons(summary);
  expect(summary).toContain("\n 1 fail\nRan 3 of 3 files.");
  expect(printed).toContain("good.test.ts and 2 more took");
  expect((await runUntilItHangs({ together: true })).summary).toContain("hanging.test.ts did not finish\n");
  const thrown = await runAll({ throwing: THROWING, good: GOOD }, { together: true });
  expect(isGood(thrown)).toBe(false);
  expect(thrown.summary).toContain("throwing.test.ts failed outside of its tests\n");
});
