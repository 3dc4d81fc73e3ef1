import { expect, test } from "bun:test";
import { ownCommand } from "../own-command.ts";
import { failForKey } from "./refusals.ts";

test("a name that many keys have names some of their ids, and how many more there are", () => {
  const ids = Array.from({ length: 12 }, (_, i) => `key_${i}`);
  expect(() => failForKey({ kind: "several_have_name", ids }, "Kiosk")).toThrow(
    /^12 keys are named "Kiosk": give the id of one instead: key_0, .*, key_9, 2 more$/,
  );
  expect(() => failForKey({ kind: "several_have_name", ids: ids.slice(0, 10) }, "Kiosk")).toThrow(/key_8, key_9$/);
});

test("what was asked for and what is suggested stay on their line, whatever they contain", () => {
  const refusal = { kind: "no_such_key", suggestion: "\u202eksed tnorF" } as const;
  expect(() => failForKey(refusal, "a\nb\x1b[2J\u2028")).toThrow(
    `there is no key "a\\nb\\u001b[2J<U+2028>". Did you mean "<U+202E>ksed tnorF"? To see all keys: ${ownCommand("keys list")}`,
  );
  expect(() => failForKey({ kind: "no_such_key", suggestion: "key_0123456789ab" }, "key_0123456789ac")).toThrow(
    "Did you mean key_0123456789ab? ",
  );
});
