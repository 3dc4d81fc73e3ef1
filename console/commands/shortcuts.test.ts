import { describe, expect, test } from "bun:test";
import { isSingleKey, type Place, SHORTCUTS, shortcutOf } from "./shortcuts.ts";

const PLAIN = {
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  defaultPrevented: false,
};
const HERE = { isMac: false, areSingleKeysOn: true };

const pressed = (key: string, place: Place, more: Partial<typeof PLAIN> = {}, keyboard: Partial<typeof HERE> = {}) =>
  shortcutOf({ ...PLAIN, key, ...more }, place, { ...HERE, ...keyboard })?.press;

const SINGLE = SHORTCUTS.filter(isSingleKey).map(({ press }) => press);

describe("shortcuts", () => {
  test("of a single character act on the page, and in no field, search, palette or dialog", () => {
    expect(SINGLE).toEqual(["/", "?", "j", "k", "x", "a", "u"]);
    for (const key of SINGLE) {
      expect(pressed(key, "page")).toBe(key);
      for (const place of ["field", "search", "palette", "dialog"] as const)
        expect(pressed(key, place)).toBeUndefined();
    }
  });

  test("of a single character leave those with a modifier to the browser, and text that is being composed", () => {
    for (const key of SINGLE)
      for (const more of ["ctrlKey", "metaKey", "altKey", "isComposing", "defaultPrevented"] as const)
        expect(pressed(key, "page", { [more]: true })).not.toBe(key);
    expect(pressed("?", "page", { shiftKey: true })).toBe("?");
  });

  test("of a single character can be switched off, and then all others still act", () => {
    for (const key of SINGLE) expect(pressed(key, "page", {}, { areSingleKeysOn: false })).toBeUndefined();
    expect(pressed("k", "page", { ctrlKey: true }, { areSingleKeysOn: false })).toBe("Mod+K");
    expect(pressed("ArrowDown", "search", {}, { areSingleKeysOn: false })).toBe("ArrowDown");
  });

  test("a key that is held down moves on, but approves one order only", () => {
    expect(pressed("j", "page", { repeat: true })).toBe("j");
    for (const key of ["a", "u", "/", "?"]) expect(pressed(key, "page", { repeat: true })).toBeUndefined();
  });

  test("the palette opens with Control, and with Command on a Mac, also while typing, but not above a dialog", () => {
    for (const place of ["page", "field", "search", "palette"] as const)
      expect(pressed("k", place, { ctrlKey: true })).toBe("Mod+K");
    expect(pressed("k", "dialog", { ctrlKey: true })).toBeUndefined();
    expect(pressed("K", "page", { ctrlKey: true })).toBe("Mod+K");
    expect(pressed("K", "page", { ctrlKey: true, shiftKey: true })).toBeUndefined();
    expect(pressed("k", "field", { metaKey: true }, { isMac: true })).toBe("Mod+K");
    // In the fields of a Mac, Control and K deletes to the end of the line.
    expect(pressed("k", "field", { ctrlKey: true }, { isMac: true })).toBeUndefined();
  });

  test("are those in the documentation, in its order", async () => {
    const document = await Bun.file("docs/console.md").text();
    const section = document.slice(document.indexOf("## The keyboard"), document.indexOf("## Who gets in"));
    const rows = [...section.matchAll(/^\| `.*\| (.*) \|$/gm)].map(([, does]) => does);
    expect(rows).toEqual(SHORTCUTS.map(({ does }) => does));
  });

  test("no two mean the same in one place", () => {
    const all = SHORTCUTS.flatMap(({ press, places }) => places.map((place) => `${press} in ${place}`));
    expect(new Set(all).size).toBe(all.length);
  });
});
