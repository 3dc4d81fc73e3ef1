import type { Browser, BrowserContext, Page } from "playwright-core";

// A pool of browser contexts, each with its own cookies and page. Creating one takes a second of CPU time, so they are
// reused after everything in them has been cleared.

export interface Seat {
  readonly context: BrowserContext;
  readonly page: Page;
}

export const WIDE = { width: 1280, height: 900 };

/** The time zone of the console's users. */
const ZONE = "Europe/Berlin";
/** The timeout of every wait. */
export const PATIENCE_MS = 180_000;

/** Collects what a screen reader would announce, because some of it vanishes after seconds. */
const LISTEN = `(() => {
  const heard = (window.heard = []);
  const hear = (region) => {
    const text = region?.textContent.trim();
    if (text && heard.at(-1) !== text) heard.push(text);
  };
  const live = "[aria-live], [role=status], [role=alert]";
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      hear((target.closest ? target : target.parentElement)?.closest(live));
      // Unlike other live regions, an alert is announced when it is inserted.
      for (const node of addedNodes)
        if (node.querySelector) hear(node.matches("[role=alert]") ? node : node.querySelector("[role=alert]"));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
})()`;

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
    await context.addInitScript(LISTEN);
    if (hasClock) await context.clock.install();
    return { context, page: await context.newPage() };
  }

  /** Returns a context to the pool, without cookies, on a page of the same origin on which nothing runs. */
  async giveBack(seat: Seat): Promise<void> {
    const { context, page } = seat;
    // After a second page was opened, the first one may be in the background.
    if (context.pages().length > 1) return context.close();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    const isLeft = await page.goto(new URL("/favicon.ico", page.url()).href).catch(() => undefined);
    if (!isLeft) return context.close();
    await context.clearCookies();
    this.#free.push(seat);
  }
}
