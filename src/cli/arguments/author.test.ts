import { expect, test } from "bun:test";
import { AUTHOR_MAX_CODE_POINTS } from "../../domain/journal.ts";
import { authorOf, systemUser } from "./author.ts";

const ROOT = systemUser(0, {});

test("the setting OPERATOR goes before the system user", () => {
  expect(authorOf({ OPERATOR: "Anna" })).toEqual({ by: "Anna", via: "command" });
  expect(authorOf({ OPERATOR: undefined }).by).toBe(systemUser(process.getuid?.() as number, process.env));
});

test("a user is known by the name in the system's user database, or else by number", () => {
  expect(ROOT).toBe("root");
  expect(systemUser(4_123_456, {})).toBe("uid 4123456");
});

test("whoever became another user is named too, unless that says nothing, or is no name", () => {
  expect(systemUser(0, { SUDO_USER: "anna" })).toBe("anna as root");
  expect(systemUser(0, { DOAS_USER: "anna" })).toBe("anna as root");
  expect(systemUser(4_123_456, { SUDO_USER: "anna" })).toBe("anna as uid 4123456");
  for (const useless of ["", " ", "root", "a\nb", "\u202eanna", "a".repeat(AUTHOR_MAX_CODE_POINTS)])
    expect(systemUser(0, { SUDO_USER: useless })).toBe("root");
});
