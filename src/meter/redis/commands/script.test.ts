import { expect, test } from "bun:test";
import { BAN_LADDER_MS, BAN_MEMORY_MS } from "../../../domain/limits/ban.ts";
import { newTally, TALLY_NUMBER_NAMES } from "../../../domain/limits/tally.ts";
import { DAY, MINUTE } from "../../../domain/limits/window.ts";
import rule from "./judge.lua" with { type: "text" };
import { JUDGE_SCRIPT, readAnswer, tallyOf } from "./script.ts";

const code = rule.replace(/--.*$/gm, "");

test("the script begins with the constants of the domain", () => {
  const constants = JUDGE_SCRIPT.slice(0, -rule.length);
  expect(constants).toContain(
    `local MINUTE, DAY, BAN_MEMORY = ${MINUTE.lengthMs}, ${DAY.lengthMs}, ${BAN_MEMORY_MS}\n`,
  );
  expect(constants).toContain(`local BAN_LADDER = { ${BAN_LADDER_MS.join(", ")} }\n`);
  expect(constants).toContain("local PASS, EXHAUSTED, BANNED = 0, 1, 2\n");
});

test("the rule itself has no constants: only 0, 1, -1, positions of arguments, and a second in milliseconds", () => {
  const numbers = code.replace(/(?:ARGV|KEYS|time)\[\d+\]/g, "").match(/-?\b\d+\b/g);
  expect(new Set(numbers)).toEqual(new Set(["0", "1", "-1", "1000"]));
  for (const name of TALLY_NUMBER_NAMES) expect(code).not.toContain(`'${name}'`);
});

test("every field that the rule uses is one that it reads and writes", () => {
  const used = new Set([...code.matchAll(/\bt\.(\w+)/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual([...TALLY_NUMBER_NAMES].sort());
});

test("each field is a different number of a tally, and all numbers have one", () => {
  const { minute, day, banRecord } = tallyOf(TALLY_NUMBER_NAMES.map((_, i) => i + 1));
  const numbers = [minute, day, banRecord].flatMap((part) => Object.values(part));
  expect(numbers.sort((a, b) => a - b)).toEqual(TALLY_NUMBER_NAMES.map((_, i) => i + 1));
});

test("a key that does not exist is an empty tally", () => {
  expect(tallyOf(TALLY_NUMBER_NAMES.map(() => null))).toEqual(newTally());
});

test("an answer without a number of strikes left has none", () => {
  const fields = TALLY_NUMBER_NAMES.map(() => 0);
  const policy = { perMinute: 1, unbannedAtMs: -1 };
  expect(readAnswer([1, 5, -1, 0, 1, ...fields], policy, 0).verdict).toMatchObject({
    kind: "exhausted",
    strikesLeft: undefined,
  });
  expect(readAnswer([1, 5, 3, 0, 1, ...fields], policy, 0).verdict).toMatchObject({
    kind: "exhausted",
    strikesLeft: 3,
  });
});
