import { expect } from "bun:test";
import { join } from "node:path";
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

/** The narrowest phone, a tablet upright and on its side, a laptop, and a large screen. */
const AXE_WIDTHS = [320, 768, 1024, 1440, 2560] as const;
const SCHEMES = ["light", "dark"] as const;
/** At two widths, each scheme is checked as far as it differs. At all, everything is checked in both schemes. */
export type Widths = "two widths" | "all widths";

/** While a dialog is open, everything else is inert. */
const SHOWN = '(document.querySelector("dialog[open]") ?? document)';

/**
 * Checks that axe finds nothing and nothing is too wide, light and dark: on a phone, and at one of the other widths,
 * which the views take in turn. Colours depend on the scheme and not on the width, so what both widths show is checked
 * once in each scheme.
 */
export async function expectUsable(
  page: Page,
  what: string,
  settled: () => Promise<void>,
  at: Widths = "two widths",
): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const found: string[] = [];
  const areAll = at === "all widths" || process.env.TEST_WIDTHS === "all";
  const [phone, ...others] = AXE_WIDTHS;
  const other = others[Bun.hash.crc32(what) % others.length] as number;
  for (const width of areAll ? AXE_WIDTHS : [phone, other]) {
    await page.setViewportSize({ width, height: WIDE.height });
    const shown = await widthWithin(page, width, settled);
    if (shown > width) found.push(`at ${width}: the page is ${shown} pixels wide`);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const isInTurn = colorScheme === (width === phone ? "dark" : "light");
      const here = areAll || isInTurn ? await violations(page, SHOWN) : await onlyHere(page, width === phone);
      for (const each of here) found.push(`at ${width}, ${colorScheme}: ${each}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
  expect({ what, found }).toEqual({ what, found: [] });
}

/** Returns the contrasts that are too low in what other widths do not show. */
async function onlyHere(page: Page, isPhone: boolean): Promise<string[]> {
  const elements = `${SHOWN}.querySelectorAll("${isPhone ? ".only-narrow" : ".only-wide"}")`;
  const areAny = await page.evaluate<boolean>(`${elements}.length > 0`);
  return areAny ? violations(page, elements, ["color-contrast"]) : [];
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

/** The narrowest widths of the layouts: the first one beyond each breakpoint. A layout has the least room there. */
function narrowestOfLayouts(css: string): readonly number[] {
  return [...css.matchAll(/@media ([^{]*width[^{]*?) *\{/g)].map(([, condition = ""]) => {
    const [, end, px] = /^\((min|max)-width: (\d+)px\)$/.exec(condition) ?? [];
    if (px === undefined) throw new Error(`this is not understood as a breakpoint: @media ${condition}`);
    return end === "min" ? Number(px) : Number(px) + 1;
  });
}

async function breakpointsIn(...globs: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const glob of globs)
    for await (const path of new Bun.Glob(glob).scan(CONSOLE))
      found.push(...narrowestOfLayouts(await Bun.file(join(CONSOLE, path)).text()));
  return found;
}

const CONSOLE = join(import.meta.dir, "../../../console");

const ascending = (widths: readonly number[]): readonly number[] => [...new Set(widths)].sort((a, b) => a - b);

/** Every layout where it is tightest, and every screen that axe looks at. */
const WIDTHS = ascending([...AXE_WIDTHS, ...(await breakpointsIn("styles/*.css", "account/*.css"))]);
/** Dialogs are as wide as a phone, and hardly wider on other screens. */
const WIDTHS_OF_DIALOGS = [320, 480, 768, 1024, 2560];

/**
 * Finds what is cut off or covered: a table, a heading, a button or a figure that is not wholly inside everything that
 * hides what is beyond it, text that does not fit into its element, unless dots and a tooltip tell of the rest, and
 * neighbours in the head of a panel that run into each other.
 */
const FIND_CLIPPED = `(() => {
  const shown = document.querySelector("dialog[open]") ?? document.body;
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen");
  const nameOf = (element) => element.tagName.toLowerCase() + " " + JSON.stringify(element.textContent.trim().slice(0, 40));
  const found = [];
  for (const element of shown.querySelectorAll("table, th, td, h1, h2, h3, dt, dd, nav a, button, select, input, .badge, .legend > span")) {
    if (!isShown(element)) continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0) continue;
    if (left < -1 || right > innerWidth + 1) found.push(nameOf(element) + " is outside of the window");
    // Nothing around a dialog cuts it off.
    const outermost = element.closest("dialog") ?? document.body;
    for (let around = element.parentElement; around && around !== outermost; around = around.parentElement) {
      const { overflowX, display } = getComputedStyle(around);
      if (overflowX === "visible" || display === "contents") continue;
      const edge = around.getBoundingClientRect();
      if (left < edge.left - 1 || right > edge.right + 1) found.push(nameOf(element) + " is cut off by ." + around.className);
    }
  }
  for (const element of shown.querySelectorAll("*")) {
    const isTooWide = element.scrollWidth > element.clientWidth + 1;
    const isTooHigh = element.scrollHeight > element.clientHeight + 1;
    if (!(isTooWide || isTooHigh) || !isShown(element)) continue;
    // A field scrolls to what is typed, and what is for screen readers alone is a pixel.
    if (element.matches("input, select, textarea") || element.clientWidth <= 1) continue;
    const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(element);
    const hasDots = isTooWide ? textOverflow === "ellipsis" : webkitLineClamp !== "none";
    if (!["hidden", "clip"].includes(overflowX) || (!isTooWide && !hasDots)) continue;
    const isTold = element.closest("[title]") ?? element.querySelector("[title]");
    if (!hasDots || !isTold) found.push(nameOf(element) + " cuts off its own text, ." + element.className);
  }
  for (const head of shown.querySelectorAll(".panel-head, .column-head, .card-head, .page-head")) {
    const boxes = [...head.children].filter(isShown).map((child) => [child, child.getBoundingClientRect()]);
    for (const [i, [child, a]] of boxes.entries())
      for (const [other, b] of boxes.slice(i + 1))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
          found.push(nameOf(child) + " runs into " + nameOf(other));
  }
  return [...new Set(found)];
})()`;

/** Checks that nothing is cut off at any width. */
export async function expectUnclipped(page: Page, what: string, settled: () => Promise<void>): Promise<void> {
  const found: string[] = [];
  const isDialog = await page.evaluate<boolean>("document.querySelector('dialog[open]') !== null");
  for (const width of isDialog ? WIDTHS_OF_DIALOGS : WIDTHS) {
    await page.setViewportSize({ width, height: WIDE.height });
    const shown = await widthWithin(page, width, settled);
    if (shown > width) found.push(`at ${width}: the page is ${shown} pixels wide`);
    let clipped = await page.evaluate<string[]>(FIND_CLIPPED);
    // A message follows a new width with the next frame.
    if (clipped.length > 0) {
      await settled();
      clipped = await page.evaluate<string[]>(FIND_CLIPPED);
    }
    for (const each of clipped) found.push(`at ${width}: ${each}`);
  }
  await page.setViewportSize(WIDE);
  expect({ what, found }).toEqual({ what, found: [] });
}
