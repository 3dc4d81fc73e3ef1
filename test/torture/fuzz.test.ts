import { describe, expect, test } from "bun:test";
import { run } from "../../torture/fuzz/fuzz.ts";
import { mistakeIn, PROMISED_HEADERS } from "../../torture/fuzz/rules.ts";
import { scriptOf } from "../../torture/fuzz/script.ts";
import { readAnswers, type WireAnswer } from "../../torture/wire/answers.ts";
// The service is built once for all test files that name this one.
import "../harness/program/program.ts";

const SEED = 20_261_115;

const bytesOf = (seed: number): string => {
  const hasher = new Bun.CryptoHasher("sha256");
  for (let number = 0; number < 200; number++)
    for (const { pieces } of scriptOf(seed, number).turns) for (const piece of pieces) hasher.update(piece).update("|");
  return hasher.digest("hex");
};

const answer = (...lines: string[]): WireAnswer =>
  readAnswers(lines.join("\r\n"), () => false).answers[0] as WireAnswer;

describe("fuzz", () => {
  test("whatever is sent, the service lives, answers in the right shape, and makes only what was asked for", async () => {
    const board = await run({ seed: SEED });
    expect(board.violations).toEqual([]);
    expect(board.of("requests")).toBeGreaterThan(1_500);
    expect(board.of("good requests")).toBeGreaterThan(0);
    for (const status of [
      "200",
      "201",
      "204",
      "304",
      "400",
      "400 (Bun)",
      "401",
      "404",
      "405",
      "409",
      "412",
      "413",
      "415",
    ])
      expect([status, board.of(`answered ${status}`)]).not.toEqual([status, 0]);
  });

  test("the same seed sends the same bytes", () => {
    expect(bytesOf(1)).toBe(bytesOf(1));
    expect(bytesOf(1)).not.toBe(bytesOf(2));
  });

  test("a wrong answer is noticed", () => {
    const known = answer("HTTP/1.1 400 Bad Request", "Connection: close", "", "");
    expect(mistakeIn(known)).toBeUndefined();
    expect(mistakeIn(known, scriptOf(SEED, 0).due[0])).toContain("by itself");
    expect(mistakeIn(answer("HTTP/1.1 400 Bad Request", "Server: other", "", ""))).toContain("not JSON");
    expect(mistakeIn(answer("HTTP/1.1 500 Internal Server Error", "", ""))).toContain("500");
    expect(mistakeIn(answer("HTTP/1.1 200 OK", "X-Request-Id: r1", "", ""))).toContain("Cache-Control is missing");
    const headers = ["X-Request-Id: r1", ...PROMISED_HEADERS.map((name) => `${name}: 1`)];
    const mistake = (status: string, ...lines: string[]) =>
      mistakeIn(answer(`HTTP/1.1 ${status}`, ...headers, ...lines));
    const tag = `ETag: "${"a".repeat(22)}"`;
    expect(mistake("304 Not Modified", tag, "", "")).toBeUndefined();
    expect(mistake("304 Not Modified", "", "")).toContain("no ETag");
    expect(mistake("200 OK", 'ETag: W/"a"', "", "")).toContain("the ETag is");
    expect(mistake("404 Not Found", tag, "", "")).toContain("an error has an ETag");
    expect(mistake("204 No Content", "", "")).toBeUndefined();
    expect(mistake("204 No Content", "Content-Length: 2", "", "{}")).toContain("content-length");
    const json = ["Content-Type: application/json", "Content-Length: 2", "", "{}"];
    expect(mistakeIn(answer("HTTP/1.1 404 Not Found", ...json))).toContain("shape of Error");
  });
});
