import { expect } from "bun:test";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { WIDE } from "../service/seats.ts";

// Automatic checks of what is on the screen: accessibility by axe, and the width.

/** A script that finds accessibility problems. */
const AXE = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** Report only violations, without selectors. */
const AXE_OPTIONS = { resultTypes: ["violations"], preload: false, selectors: false };

/** A page that is not redrawn for another size within this many checks never will be. */
const REDRAWN_LOOKS = 50;

/** Colours depend on the scheme and not on the size, so what both sizes show is checked once in each scheme. */
const LOOKS = [
  { name: "wide", size: WIDE, scheme: "light", otherScheme: "dark", only: ".only-wide" },
  // The narrowest phones.
  { name: "phone", size: { width: 360, height: 780 }, scheme: "dark", otherScheme: "light", only: ".only-narrow" },
] as const;

/** While a dialog is open, everything else is inert. */
const SHOWN = '(document.querySelector("dialog[open]") ?? document)';

/** Checks that axe finds nothing and nothing is too wide, on a large screen and on a phone, light and dark. */
export async function expectUsable(page: Page, what: string, settled: () => Promise<void>): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const found: string[] = [];
  for (const { name, size, scheme, otherScheme, only } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    const width = await widthWithin(page, size.width, settled);
    if (width > size.width) found.push(`${name}: ${width} pixels wide`);
    for (const each of await violations(page, SHOWN)) found.push(`${name}, ${scheme}: ${each}`);
    const onlyHere = `${SHOWN}.querySelectorAll(${JSON.stringify(only)})`;
    if (!(await page.evaluate<boolean>(`${onlyHere}.length > 0`))) continue;
    await page.emulateMedia({ colorScheme: otherScheme });
    for (const each of await violations(page, onlyHere, ["color-contrast"]))
      found.push(`${name}, ${otherScheme}: ${each}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
  expect({ what, found }).toEqual({ what, found: [] });
}

/** The width of the page, once plots have been redrawn for another size. */
async function widthWithin(page: Page, wanted: number, settled: () => Promise<void>): Promise<number> {
  const width = (): Promise<number> => page.evaluate<number>("document.documentElement.scrollWidth");
  for (let looks = 0; looks < REDRAWN_LOOKS && (await width()) > wanted; looks++) await settled();
  return width();
}

/** The violations that axe finds in some elements, by all rules or by some. */
async function violations(page: Page, elements: string, rules?: readonly string[]): Promise<string[]> {
  const options = { ...AXE_OPTIONS, ...(rules ? { runOnly: rules } : {}) };
  const results = await page.evaluate<AxeResults>(`axe.run(${elements}, ${JSON.stringify(options)})`);
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
