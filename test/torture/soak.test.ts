import { expect, test } from "bun:test";
import { run } from "../../torture/soak/soak.ts";
// The service is built once for all test files that name this one.
import "../harness/program/program.ts";

test("clients that come and go leave nothing behind, and every count is exact", async () => {
  const board = await run({ seed: 20_261_115 });
  expect(board.violations).toEqual([]);
  expect(board.of("requests")).toBeGreaterThanOrEqual(4_000);
  expect(board.of("connections abandoned")).toBeGreaterThan(10);
  expect(board.of("animals added")).toBeGreaterThan(100);
  for (const what of ["animals updated", "animals deleted", "answered 304"])
    expect([what, board.of(what)]).not.toEqual([what, 0]);
});
