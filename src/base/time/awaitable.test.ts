import { describe, expect, test } from "bun:test";
import { type Awaitable, andThen, orElse } from "./awaitable.ts";

const double = (n: number): Awaitable<number> => 2 * n;

test("andThen waits for nothing that is there already", async () => {
  expect(andThen(21, double)).toBe(42);
  expect(await andThen(Promise.resolve(21), double)).toBe(42);
});

describe("orElse", () => {
  const fail = (): never => {
    throw new Error("no");
  };
  const message = (error: unknown) => (error as Error).message;

  test("is the outcome of the work", async () => {
    expect(orElse(() => "yes", message)).toBe("yes");
    expect(await orElse(() => Promise.resolve("yes"), message)).toBe("yes");
  });

  test("handles what is thrown and what is rejected alike", async () => {
    expect(orElse(fail, message)).toBe("no");
    expect(await orElse(() => Promise.resolve().then(fail), message)).toBe("no");
  });
});
