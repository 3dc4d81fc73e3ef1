import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";

const BENCH = join(import.meta.dir, "../../bench/run.ts");

async function bench(...args: string[]): Promise<{ exitCode: number; out: string }> {
  const env = { PATH: temporaryFolder() };
  const child = Bun.spawn([process.execPath, BENCH, ...args], { env, stdin: "ignore", stdout: "pipe" });
  const out = await new Response(child.stdout).text();
  return { exitCode: await child.exited, out };
}

test("the benchmark says what to install when wrk is missing", async () => {
  const { exitCode, out } = await bench();
  expect(exitCode).toBe(1);
  expect(out).toBe("This benchmark needs wrk. On Debian: apt-get install wrk\n");
});

test("the benchmark says which parts there are when one is misspelt", async () => {
  const { exitCode, out } = await bench("--only", "sacle");
  expect(exitCode).toBe(1);
  expect(out).toContain("--only takes any of throughput, writes, scale, start, memory, separated by commas, not sacle");
});
