import { expect } from "bun:test";
import type { BrowserContext, ConsoleMessage, Locator, Page, Request, Response, WebError } from "playwright-core";
import type { Role } from "../../../src/domain/console-role.ts";
import { atEnd, setUp } from "../cleanup.ts";
import type { Fleet } from "../service/fleet.ts";
import { PATIENCE_MS, type Seat, Seats } from "../service/seats.ts";
import { CHROMIUM } from "./chromium.ts";
import { launchChromium } from "./playwright.ts";
import { expectUnclipped, expectUsable, type Widths } from "./usable.ts";

// Users of the console: each has their own cookies, and finds elements as people do, by role and name. Unexpected
// errors of the page fail the test.

export { CHROMIUM };

/** The timeout of a test in a browser, on a busy machine. */
export const BROWSER_TEST_MS = 300_000;
/** The polling interval of pages. */
const POLL_MS = 5_000;

export interface DeskOptions {
  /** The name in the sign-in link; null for nobody. */
  readonly name?: string | null;
  readonly role?: Role;
  /** Makes the page's clock controllable, for `later`. */
  readonly hasClock?: boolean;
}

type WithDesk = (fleet: Fleet, work: (desk: Desk) => Promise<void>, options?: DeskOptions) => Promise<void>;

/** One browser for the tests of a file; to be called outside of them. */
export function openBrowser(): WithDesk {
  let seats: Seats | undefined;
  setUp(async () => {
    if (!CHROMIUM) return;
    const browser = await launchChromium();
    atEnd(() => browser.close());
    seats = new Seats(browser);
  }, BROWSER_TEST_MS);
  return async (fleet, work, { name = "Anna", role = "operator", hasClock = false } = {}) => {
    if (!seats) throw new Error("a desk is for tests, after their file has begun");
    const seat = await (hasClock ? seats.make({ hasClock }) : seats.take());
    const desk = new Desk(seat, fleet);
    try {
      if (name !== null) await desk.signIn(name, role);
      await work(desk);
      desk.expectNoSurprise();
    } catch (error) {
      console.error(await desk.report());
      await seat.context.close();
      throw error;
    }
    desk.leave();
    // Its clock may have been advanced.
    await (hasClock ? seat.context.close() : seats.giveBack(seat));
  };
}

export class Desk {
  readonly #surprises: string[] = [];
  readonly #expected: RegExp[] = [];
  readonly #allowed: RegExp[] = [];
  #visits = 0;
  #underWay = 0;

  readonly context: BrowserContext;
  readonly page: Page;
  /** Cleans up after this user. */
  readonly leave: () => void;

  constructor(
    { context, page }: Seat,
    readonly fleet: Fleet,
  ) {
    this.context = context;
    this.page = page;
    this.leave = this.#listen();
  }

  /** Signs in with a new link, at the first instance. */
  async signIn(name = "Anna", role: Role = "operator"): Promise<void> {
    await this.page.goto(await this.fleet.link(name, role));
    await this.button("sign out").waitFor();
  }

  /** Opens a page of the console by its address, each time at another instance, because all know the session. */
  async visit(path: string): Promise<void> {
    const { origins } = this.fleet;
    await this.page.goto(`${origins[++this.#visits % origins.length]}/console${path}`);
  }

  /** Navigates within the console, without a full load. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate<void>(`(() => {
      const link = document.createElement("a");
      link.href = ${JSON.stringify(`/console${path}`)};
      document.body.append(link);
      link.click();
      link.remove();
    })()`);
  }

  /** Goes to a section through the navigation. */
  go(section: string): Promise<void> {
    return this.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: section }).click();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole("heading", { name, exact: true });
  }

  /** The title of the page. Its parts may have headings with the title of another page. */
  title(name: string): Locator {
    return this.page.getByRole("heading", { level: 1, name, exact: true });
  }

  button(name: string | RegExp, within: Pick<Page, "getByRole"> = this.page): Locator {
    return within.getByRole("button", { name, exact: true });
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole("dialog", { name });
  }

  /** Waits until no dialog is left. A closed one is hidden before the page knows that it is. */
  async closed(): Promise<void> {
    await this.page.locator("dialog").waitFor({ state: "detached" });
  }

  /** A row of a table that contains a text. */
  row(text: string | RegExp): Locator {
    return this.page.getByRole("row").filter({ hasText: text });
  }

  /** The description of a term in a list of details. */
  fact(term: string): Locator {
    return this.page.locator("dt", { hasText: new RegExp(`^${term}$`) }).locator("xpath=following-sibling::dd[1]");
  }

  /** Waits for a toast or an announcement with this text, which may have vanished again. */
  async told(text: string | RegExp): Promise<void> {
    const isIt = (each: string): boolean => (typeof text === "string" ? each.includes(text) : text.test(each));
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const heard = (): Promise<string[]> => this.page.evaluate<string[]>("heard");
    // A test may hold back requests, so none is waited for.
    while (!patience.aborted && !(await heard()).some(isIt)) await this.#redrawn();
    const texts = await heard();
    expect(texts).toContainEqual(
      typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
    );
    // The next wait is for what comes after it.
    await this.page.evaluate(`heard.splice(0, ${texts.findIndex(isIt) + 1})`);
  }

  /** Waits until this text is visible. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until all requests of the page are answered and shown. */
  async settled(): Promise<void> {
    do await this.#redrawn();
    while (this.#underWay > 0);
  }

  async #redrawn(): Promise<void> {
    await this.page.evaluate("new Promise((shown) => requestAnimationFrame(() => setTimeout(shown, 20)))");
  }

  /** Opens the palette and types. */
  async ask(text: string): Promise<void> {
    await this.page.keyboard.press("Control+k");
    await this.expectFocus(this.page.getByRole("combobox", { name: "Find anything" }));
    await this.page.keyboard.type(text);
  }

  /** Opens the palette, types, and presses Enter on an option. */
  async choose(text: string, name = text): Promise<void> {
    await this.ask(text);
    const option = this.page.getByRole("option", { name }).first();
    while ((await option.getAttribute("aria-selected")) !== "true") await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
  }

  /** Advances the page's clock by some seconds, so that it polls again. */
  async later(): Promise<void> {
    await this.page.clock.fastForward(POLL_MS);
    await this.settled();
  }

  /** Lets the page poll until this is visible, without a reload. */
  async seesLater(what: Locator): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (!patience.aborted && !(await what.first().isVisible())) await this.later();
    await what.first().waitFor({ timeout: POLL_MS });
  }

  /** The text in the clipboard. */
  copied(): Promise<string> {
    return this.page.evaluate<string>("navigator.clipboard.readText()");
  }

  /** Expects failures such as /^409 PATCH/, each at least once. */
  expects(...failures: readonly RegExp[]): void {
    this.#expected.push(...failures);
  }

  /** Allows failures that depend on timing. */
  allows(...failures: readonly RegExp[]): void {
    this.#allowed.push(...failures);
  }

  /** Checks that axe finds nothing and nothing is too wide, light and dark; at two widths, unless at all is asked for. */
  async expectUsable(what: string, at: Widths = "two widths"): Promise<void> {
    if (this.#isLookedAt) await expectUsable(this.page, what, () => this.settled(), at);
  }

  /** Checks that nothing is cut off, from the narrowest phone to the widest screen. */
  async expectUnclipped(what: string): Promise<void> {
    if (this.#isLookedAt) await expectUnclipped(this.page, what, () => this.settled());
  }

  /** Pages look the same on every store: of a suite that runs on both, those on SQLite, of one instance, are looked at. */
  get #isLookedAt(): boolean {
    return this.fleet.services.length === 1;
  }

  /** Waits until the focus is on it. */
  async expectFocus(element: Locator): Promise<void> {
    await element.and(this.page.locator(":focus")).waitFor();
  }

  /** Describes the page for the report of a failure. */
  async report(): Promise<string> {
    const text = await this.page.evaluate<string>("document.body.innerText").catch(() => "nothing");
    const surprises = this.#surprises.map((surprise) => `\n- ${surprise}`).join("");
    return `${this.page.url()} shows:\n${text.replace(/\n\s*\n/g, "\n")}\nSurprises:${surprises || " none"}`;
  }

  expectNoSurprise(): void {
    const known = [...this.#expected, ...this.#allowed];
    const isExpected = (surprise: string): boolean => known.some((failure) => failure.test(surprise));
    expect([...new Set(this.#surprises)].filter((surprise) => !isExpected(surprise))).toEqual([]);
    const missing = this.#expected.filter((failure) => !this.#surprises.some((surprise) => failure.test(surprise)));
    expect(missing).toEqual([]);
  }

  #listen(): () => void {
    const { context } = this;
    const note = (surprise: string): void => void this.#surprises.push(surprise);
    const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, "");
    const onRequest = (request: Request): void => {
      this.#underWay++;
      const { origin, protocol } = new URL(request.url());
      const isOwn = this.fleet.origins.includes(origin) || protocol === "data:" || protocol === "blob:";
      if (!isOwn) note(`a request to another host: ${request.url()}`);
    };
    const onFinished = (): void => void this.#underWay--;
    const onFailed = (request: Request): void => {
      this.#underWay--;
      const reason = request.failure()?.errorText;
      // Pages abort requests that they no longer need, and a download aborts the navigation.
      if (reason !== "net::ERR_ABORTED") note(`${reason} ${request.method()} ${pathOf(request.url())}`);
    };
    const onResponse = (response: Response): void => {
      if (response.status() >= 400)
        note(`${response.status()} ${response.request().method()} ${pathOf(response.url())}`);
    };
    const onConsole = (message: ConsoleMessage): void => {
      const isAbove = message.text().startsWith("Failed to load resource:");
      if (["error", "warning"].includes(message.type()) && !isAbove) note(`on the console: ${message.text()}`);
    };
    const onError = (error: WebError): void => note(`thrown: ${error.error().message}`);
    context.on("request", onRequest).on("requestfinished", onFinished).on("requestfailed", onFailed);
    context.on("response", onResponse).on("console", onConsole).on("weberror", onError);
    return () => {
      context.off("request", onRequest).off("requestfinished", onFinished).off("requestfailed", onFailed);
      context.off("response", onResponse).off("console", onConsole).off("weberror", onError);
    };
  }
}
