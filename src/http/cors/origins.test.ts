import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Mistake } from "../../base/mistake.ts";
import { readConfig } from "../../config.ts";
import { parseCorsOrigins } from "./origins.ts";

const mistakeIn = (text: string): string => {
  const parsed = parseCorsOrigins(text);
  if (!(parsed instanceof Mistake)) throw new Error(`${text} was taken for ${parsed}`);
  return parsed.text;
};

test("nothing is none, and * is all", () => {
  for (const text of ["", " "]) expect(parseCorsOrigins(text)).toBeUndefined();
  expect(parseCorsOrigins(" * ")).toBe("*");
});

describe("an origin", () => {
  test("is a scheme, a host and perhaps a port; several are separated by commas", () => {
    expect(parseCorsOrigins("https://app.example.com,http://localhost:3000 , http://[::1]:8080,")).toEqual([
      "https://app.example.com",
      "http://localhost:3000",
      "http://[::1]:8080",
    ]);
  });

  test("is written as browsers send it: in lower case, in Punycode, without a default port or a last slash, once", () => {
    for (const [written, sent] of [
      ["HTTPS://App.Example.COM", "https://app.example.com"],
      ["https://app.example.com/", "https://app.example.com"],
      ["https://app.example.com:443", "https://app.example.com"],
      ["http://app.example.com:80", "http://app.example.com"],
      ["https://app.example.com:80", "https://app.example.com:80"],
      ["https://münchen.example", "https://xn--mnchen-3ya.example"],
      ["http://127.1:3000", "http://127.0.0.1:3000"],
      ["http://[0:0::1]", "http://[::1]"],
      ["https://a.example, https://A.example:443/,https://a.example", "https://a.example"],
    ] as const)
      expect([written, parseCorsOrigins(written)]).toEqual([written, [sent]]);
  });

  test("may be that of an extension or of an app, whose host is kept as it is", () => {
    for (const origin of [
      "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
      "moz-extension://0f8e4a52-6c1b-4a8e-9d57-3f2b1c0a9e88",
      "safari-web-extension://E4B0A0E6-1C1B-4A8E-9D57-3F2B1C0A9E88",
      "capacitor://localhost",
      "tauri://localhost:1420",
    ])
      expect(parseCorsOrigins(origin)).toEqual([origin]);
  });

  test("that is none is refused by its name, with a remedy", () => {
    for (const [text, mistake] of [
      [",", "must be * or a comma-separated list of origins, for example https://"],
      ["*, https://a.example", "must be either * for all origins"],
      ["*,*", "must be either * for all origins"],
      ["null", 'must not have "null", which any sandboxed frame can send; serve the page from an origin of its own'],
      ["https://*.a.example", 'must not have the pattern "https://*.a.example"; list each origin in full'],
      ["a.example", 'must have a scheme in "a.example", for example https:// before'],
      ["localhost:3000", 'must have a scheme in "localhost:3000"'],
      ["//a.example", 'must have a scheme in "//a.example"'],
      ["https:a.example", 'must have a scheme in "https:a.example"'],
      ["https://a.example/app", 'must have https://a.example instead of "https://a.example/app"'],
      ["https://A.example:443/?q", 'must have https://a.example instead of "https://A.example:443/?q"'],
      ["https://a.example#x", 'must have https://a.example instead of "https://a.example#x"'],
      ["https://a.example//", 'must have https://a.example instead of "https://a.example//"'],
      ["capacitor://localhost/app", 'must have capacitor://localhost instead of "capacitor://localhost/app"'],
      ["file:///home", 'must not have "file:///home"; browsers never send an origin with the scheme file'],
      ["wss://a.example", 'must not have "wss://a.example"; browsers never send'],
      ["https://", 'must not have "https://", which is not an origin; use, for example, https://app.example.com'],
      ["https://a.example https://b.example", "must have commas between origins, not spaces as in"],
      ["https://a\t.example", "must have commas between origins, not spaces as in"],
      ["https://a.example:99999", 'must not have "https://a.example:99999", which is not an origin'],
      ["https://a.example:x", "which is not an origin"],
      ["https://xn--a", "which is not an origin"],
      ['https://a"b', "which is not an origin"],
      ["://a.example", "which is not an origin"],
      ["capacitor://münchen", "which is not an origin"],
      ["https://b.example, nonsense", 'must have a scheme in "nonsense"'],
    ] as const)
      expect([text, mistakeIn(text)]).toEqual([text, expect.stringContaining(mistake)]);
  });

  test("with a password in it is refused without showing it", () => {
    for (const password of ["hunter2", "hunter,2", "*"])
      expect(readConfig({ CORS_ORIGINS: `https://ann:${password}@a.example` })).toEqual({
        mistakes: ["CORS_ORIGINS must have no user or password in an origin; use only the scheme and the host"],
      });
  });
});

test("whatever the text is, what comes out is plain, has nothing in it that a header cannot have, and stays the same", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(
      "https://",
      "http://",
      "a.example",
      ":443",
      "/",
      "*",
      ",",
      " ",
      "@",
      "null",
      "\t",
      "\\",
      "é",
      "[::1]",
    ),
  );
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.webUrl()), (written) => {
      const parsed = parseCorsOrigins(written);
      if (parsed === undefined || parsed === "*") return;
      if (parsed instanceof Mistake) {
        expect(parsed.text).toStartWith("must ");
        return;
      }
      expect(parsed.length).toBeGreaterThan(0);
      for (const origin of parsed) expect(origin).toMatch(/^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/);
      expect(parseCorsOrigins(parsed.join(","))).toEqual(parsed);
    }),
    { numRuns: 500 },
  );
}, 30_000);
