import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, run } from "../harness/program/program.ts";
import { canTrace } from "../harness/program/trace.ts";

const cwd = temporaryFolder();
await issueBoundlessKey({ cwd });

/** Runs a command, and returns the priorities that it has given itself. */
async function prioritiesOf(args: readonly string[], wrap: readonly string[] = []): Promise<string[]> {
  const trace = join(temporaryFolder(), "trace");
  const program = [...wrap, "strace", "-f", "-qq", "-e", "trace=setpriority", "-o", trace, EXECUTABLE];
  const { exitCode, err } = await run(args, { cwd, program });
  expect([exitCode, err]).toEqual([0, ""]);
  return readFileSync(trace, "utf8").match(/setpriority\(.*/g) ?? [];
}

test.skipIf(!canTrace).each([[["backup", "a.db"]], [["animals", "export", "--to", "a.csv"]], [["doctor"]]])(
  "%j, which reads the whole database, leaves the processor to the service beside it",
  async (args) => {
    expect(await prioritiesOf(args)).toEqual([expect.stringMatching(/^setpriority\(PRIO_PROCESS, 0, 10\) += 0$/)]);
  },
);

test.skipIf(!canTrace)("a command that was given a lower priority keeps it", async () => {
  expect(await prioritiesOf(["backup", "b.db"], ["nice", "-n", "15"])).toEqual([]);
});

test.skipIf(!canTrace)("a command that writes keeps the usual one: it must not hold a lock for longer", async () => {
  writeFileSync(join(cwd, "new.csv"), "name,categoryId\nRex,1\n");
  expect(await prioritiesOf(["animals", "import", "new.csv"])).toEqual([]);
});
