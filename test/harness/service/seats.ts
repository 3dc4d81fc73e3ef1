import type { Browser, BrowserContext, Page } from "playwright-core";

// Contexts of a browser, each with cookies and a page of its own. To make one takes a second of CPU time, so whoever
// comes next gets one that is free again, with nothing left in it.

export interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
}

export const WIDE = { width: 1280, height: 900 };

/** In which people at the console live. */
const ZONE = "Europe/Berlin";
/** How long anything is waited for. */
export const PATIENCE_MS = 60_000;

export class Seats {
  readonly #free: Seat[] = [];

  constructor(private readonly browser: Browser) {}

  async take(): Promise<Seat> {
    return this.#free.pop() ?? this.make();
  }

  async make({ hasClock = false } = {}): Promise<Seat> {
    const context = await this.browser.newContext({
      viewport: WIDE,
      colorScheme: "light",
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: ZONE,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (hasClock) await context.clock.install();
    return { context, page: await context.newPage() };
  }

  /** The next one gets it without cookies, at a page of the same origin on which nothing runs. */
  async giveBack(seat: Seat): Promise<void> {
    const { context, page } = seat;
    // Once there was a second page, the first one may be in the background.
    if (context.pages().length > 1) return context.close();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    const isLeft = await page.goto(new URL("/favicon.ico", page.url()).href).catch(() => undefined);
    if (!isLeft) return context.close();
    await context.clearCookies();
    this.#free.push(seat);
  }
}
