import { expect, test } from "bun:test";
import { quoted } from "./names.ts";

test("quotes a name as it is", () => {
  expect(quoted("Rex")).toBe("“Rex”");
  expect(quoted("<b>Rex</b> 🦊")).toBe("“<b>Rex</b> 🦊”");
});

test("cuts a long one between its letters", () => {
  expect(quoted("x".repeat(60))).toBe(`“${"x".repeat(60)}”`);
  expect(quoted("🦊".repeat(255))).toBe(`“${"🦊".repeat(60)}…”`);
});

test("keeps one that is written from right to left to itself", () => {
  expect(quoted("مرحبا")).toBe("“\u2068مرحبا\u2069”");
  expect(quoted("שלום 12")).toBe("“\u2068שלום 12\u2069”");
});
