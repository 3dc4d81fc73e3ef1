import { expect, test } from "bun:test";
import { isConnectionLost, storeFailure } from "./failures.ts";

const serverError = (errno: string, severity = "ERROR") => Object.assign(new Error("no"), { errno, severity });
const changedBy = (error: Error) => (storeFailure(error, "unknown") as { changed?: string }).changed;

test("what a pooler says of a lost server, or a server of a lost outcome, leaves open what has changed", () => {
  for (const errno of ["08000", "08003", "08006", "08P01"]) {
    expect([errno, changedBy(serverError(errno)), isConnectionLost(serverError(errno))]).toEqual([
      errno,
      "unknown",
      true,
    ]);
    expect(storeFailure(serverError(errno), "nothing")).toMatchObject({ changed: "nothing" });
  }
  expect(changedBy(serverError("40003"))).toBe("unknown");
  expect(changedBy(serverError("57P01", "FATAL"))).toBe("unknown");
});

test("a statement that the server rejects has changed nothing", () => {
  for (const errno of ["40001", "40P01", "55P03", "57014", "53100", "53200", "25006"])
    expect([errno, changedBy(serverError(errno)), isConnectionLost(serverError(errno))]).toEqual([
      errno,
      "nothing",
      false,
    ]);
});
