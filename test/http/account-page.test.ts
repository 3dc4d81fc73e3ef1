import { describe, expect, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { DAY_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import { leastIdAt } from "../../src/domain/usage/kept-request.ts";
import { newCounts, placeOfOutcome } from "../../src/domain/usage/usage.ts";
import { CHROMIUM } from "../harness/browser/chromium.ts";
import { launchChromium } from "../harness/browser/playwright.ts";
import { expectUnclipped, expectUsable } from "../harness/browser/usable.ts";
import { atEnd, setUp } from "../harness/cleanup.ts";
import { Seats } from "../harness/service/seats.ts";
import { startService } from "../harness/service/service.ts";

const TEST_MS = 300_000;
const NAME = "<img src=x onerror=alert(1)> & \u202eToni";

const service = await startService();
const address = `${service.origin}/account`;
const framesOf = (page: Page) => (): Promise<void> =>
  page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))");

interface Opened {
  readonly page: Page;
  /** The requests under /v1. */
  readonly calls: Request[];
}

describe.skipIf(!CHROMIUM)("the page of a key's holder, in a real browser", () => {
  let seats: Seats;
  setUp(async () => {
    if (!CHROMIUM) return;
    const browser = await launchChromium();
    atEnd(() => browser.close());
    seats = new Seats(browser);
  }, TEST_MS);

  /** Opens the page in a browser of its own, whose errors fail the test. */
  async function visit(work: (opened: Opened) => Promise<void>, expected: RegExp = /^$/): Promise<void> {
    const { context, page } = await seats.make({ hasClock: true });
    const complaints: string[] = [];
    const calls: Request[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      expect(new URL(request.url()).origin).toBe(service.origin);
      if (new URL(request.url()).pathname.startsWith("/v1/")) calls.push(request);
    });
    await page.goto(address);
    await work({ page, calls });
    expect(complaints.filter((complaint) => !expected.test(complaint))).toEqual([]);
    await context.close();
  }

  async function enter(page: Page, secret: string): Promise<void> {
    await page.getByLabel("API key").fill(secret);
    await page.keyboard.press("Enter");
  }

  const isShown = (page: Page): Promise<void> => page.getByText("Requests per hour").waitFor();

  async function use(keyId: string): Promise<void> {
    const counts = newCounts();
    counts[placeOfOutcome("passed")] = 4321;
    counts[placeOfOutcome("client_error")] = 25;
    counts[placeOfOutcome("minute_quota")] = 7;
    const startedAtMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const sums = [{ keyId, startedAtMs, counts }];
    await service.withStore(({ usage }) => usage.add({ source: keyId, sequence: 1, atMs: Date.now(), sums }));
  }

  test(
    "shows plan, what is left, strikes and usage, whatever the key is called, by axe and at every width",
    async () => {
      const { id, secret } = await service.issueKey({ plan: "pro", name: NAME, mayRotate: true });
      await use(id);
      await visit(async ({ page, calls }) => {
        await expectUsable(page, "asking for the key", framesOf(page));
        await enter(page, secret);
        await isShown(page);
        const text = await page.locator("main").innerText();
        for (const shown of [NAME, "Pro plan", "299 of 300", "9,999 of 10,000", "300 more refusals", id])
          expect(text).toContain(shown);
        // The usage of the page's own requests may have been stored meanwhile.
        expect(text).toMatch(/^4,32[123]$/m);
        expect(await page.locator("img").count()).toBe(0);
        await expectUsable(page, "the key", framesOf(page));
        await expectUnclipped(page, "the key", framesOf(page));
        await page.getByRole("button", { name: "30 days" }).click();
        await page.getByText("Requests per day").waitFor();
        await page.getByRole("button", { name: "Refresh" }).click();
        await page.getByText("295 of 300").waitFor();
        expect(calls.map((call) => new URL(call.url()).pathname)).toEqual(
          ["/key", "/key/usage", "/key/usage", "/key/usage", "/key"].map((path) => `/v1${path}`),
        );
      });
    },
    TEST_MS,
  );

  test(
    "shows why calls failed when it is asked, in the words that the client got, whatever they are",
    async () => {
      const { id, secret } = await service.issueKey({ plan: "pro" });
      const message = 'The field "<img src=x onerror=alert(1)>" is unknown. Remove it.';
      const failed = { keyId: id, method: "POST", path: "/v1/pets", idempotencyKey: undefined, latencyMs: 1 };
      const requests = [
        { ...failed, id: leastIdAt(Date.now()), status: 400, code: "unknown_field", message, requestId: "a" },
        {
          ...failed,
          id: leastIdAt(Date.now()) + 1n,
          status: 503,
          code: "service_unavailable",
          message: "No.",
          requestId: "b",
        },
      ];
      await service.withStore(({ usage }) =>
        usage.add({ source: id, sequence: 1, atMs: Date.now(), sums: [], requests }),
      );
      await visit(async ({ page, calls }) => {
        await enter(page, secret);
        await isShown(page);
        expect(calls).toHaveLength(2);
        await page.getByRole("button", { name: "Show", exact: true }).click();
        const rows = page.getByRole("table", { name: "Latest errors" }).locator("tbody tr");
        await rows.first().waitFor();
        const texts = await rows.allInnerTexts();
        expect(texts).toEqual([
          expect.stringContaining("503 service_unavailable"),
          expect.stringContaining("400 unknown_field"),
        ]);
        expect(texts[1]).toContain(message);
        expect(calls).toHaveLength(4);
        await expectUsable(page, "the errors", framesOf(page));
        await expectUnclipped(page, "the errors", framesOf(page));
      });
    },
    TEST_MS,
  );

  test(
    "keeps the key in no address, storage, cookie or title, and sends it as the bearer alone, without polling",
    async () => {
      const { secret } = await service.issueKey({ plan: "pro" });
      await visit(async ({ page, calls }) => {
        const requests: Request[] = [];
        page.on("request", (request) => requests.push(request));
        await enter(page, secret);
        await isShown(page);
        await page.clock.runFor(14 * MINUTE_MS);
        expect(calls).toHaveLength(2);
        for (const request of requests) {
          const { authorization, ...headers } = await request.allHeaders();
          expect([request.url(), request.postData(), JSON.stringify(headers)].join()).not.toContain(secret);
          expect(authorization).toBe(`Bearer ${secret}`);
          expect([headers.cookie, headers.referer]).toEqual([undefined, undefined]);
        }
        const kept = await page.evaluate<string>(
          `(async () => JSON.stringify([location.href, document.title, document.cookie, { ...localStorage }, { ...sessionStorage },
            history.state, await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML,
            [...document.querySelectorAll("input")].map((input) => input.value)]))()`,
        );
        expect(kept).not.toContain(secret);
        expect(await page.context().cookies()).toEqual([]);
      });
    },
    TEST_MS,
  );

  test(
    "forgets the key after 15 minutes without use, when the page is left, and when asked to",
    async () => {
      const { secret } = await service.issueKey({ plan: "pro", name: "till" });
      await visit(async ({ page, calls }) => {
        await enter(page, secret);
        await isShown(page);
        await page.clock.runFor(10 * MINUTE_MS);
        await page.keyboard.press("Shift");
        await page.clock.runFor(14 * MINUTE_MS);
        expect(await page.getByRole("heading", { name: "till" }).count()).toBe(1);
        await page.clock.runFor(2 * MINUTE_MS);
        await page.getByText("was not used for 15 minutes").waitFor();
        expect(await page.getByLabel("API key").inputValue()).toBe("");
        expect(await page.locator("main").innerText()).not.toContain("till");

        await enter(page, secret);
        await isShown(page);
        await page.getByRole("button", { name: "Forget the key" }).click();
        await page.getByLabel("API key").waitFor();

        await enter(page, secret);
        await isShown(page);
        const before = calls.length;
        await page.goto(`${service.origin}/`);
        await page.goBack();
        expect(await page.getByLabel("API key").inputValue()).toBe("");
        expect(calls).toHaveLength(before);
      });
    },
    TEST_MS,
  );

  test(
    "says what is wrong with a key, and forgets one that stops working",
    async () => {
      const { id, secret } = await service.issueKey({ plan: "pro" });
      await visit(async ({ page }) => {
        await enter(page, "ask_wrong");
        await page.getByRole("alert").getByText("This API key is unknown.").waitFor();
        await enter(page, secret);
        await isShown(page);
        await service.withStore(({ keys }) => keys.revoke({ keyId: id, by: "t", via: "command", atMs: Date.now() }));
        while ((await service.call("GET /key", { secret })).status === 200) await Bun.sleep(100);
        await page.getByRole("button", { name: "Refresh" }).click();
        await page.getByText("This API key has been revoked.").waitFor();
        await page.getByLabel("API key").waitFor();
      }, /401/);
    },
    TEST_MS,
  );

  test(
    "shows until when a limit lasts, and asks nothing before that",
    async () => {
      const quotas = { perMinute: 2, perDay: 100 };
      const { secret } = await service.issueKey({ plan: "enterprise", quotas });
      await visit(async ({ page, calls }) => {
        await enter(page, secret);
        await isShown(page);
        const refresh = page.getByRole("button", { name: "Refresh" });
        await refresh.click();
        await page
          .getByRole("alert")
          .getByText(/This ends at \d\d:\d\d:\d\d/)
          .waitFor();
        expect(await refresh.getAttribute("aria-disabled")).toBe("true");
        // A click would wait until the buttons are enabled.
        await refresh.dispatchEvent("click");
        await page.getByRole("button", { name: "Last hour" }).dispatchEvent("click");
        expect(calls).toHaveLength(3);
        await expectUsable(page, "a limit", framesOf(page));
        await page.clock.runFor(MINUTE_MS);
        await page.locator("button[aria-disabled=false]", { hasText: "Refresh" }).waitFor();
        expect(calls).toHaveLength(3);
      }, /429/);
    },
    TEST_MS,
  );

  test(
    "rotates the secret, also if the first response is lost, and goes on with the new one",
    async () => {
      const { id, secret } = await service.issueKey({ plan: "pro", mayRotate: true });
      await visit(async ({ page, calls }) => {
        await enter(page, secret);
        await isShown(page);
        await page.getByRole("button", { name: "Rotate the secret" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByText("Whoever has stolen the secret can rotate it as well").waitFor();
        await expectUsable(page, "rotating", framesOf(page));
        await dialog.getByLabel("How long should the old secret keep working?").selectOption("For 1 hour");
        // The service has done it, and its response does not arrive.
        await page.route("**/v1/key/rotate", async (route) => {
          await route.fetch();
          await route.abort();
        });
        await dialog.getByRole("button", { name: "Create a new secret" }).click();
        await dialog.getByText("The service does not answer.").waitFor();
        await page.unroute("**/v1/key/rotate");
        await dialog.getByRole("button", { name: "Create a new secret" }).click();
        const shown = dialog.getByLabel("Secret", { exact: true });
        await shown.waitFor();
        const newest = await shown.inputValue();
        const secrets = await service.withStore(async ({ keys }) => keys.secretsOf(id));
        expect(secrets).toHaveLength(2);
        expect((secrets[1]?.expiresAtMs as number) - Date.now()).toBeLessThan(DAY_MS / 2);
        await expectUsable(page, "the new secret", framesOf(page));
        await dialog.getByLabel("I have saved the secret").check();
        await dialog.getByRole("button", { name: "Done" }).click();
        await page.getByRole("button", { name: "Refresh" }).click();
        await page.locator("[aria-disabled=true]").first().waitFor({ state: "detached" });
        expect((await calls.at(-1)?.allHeaders())?.authorization).toBe(`Bearer ${newest}`);
        expect((await service.call("GET /key", { secret: newest })).json.id).toBe(id);
      }, /ERR_FAILED/);
    },
    TEST_MS,
  );

  test(
    "says so if the operator does not allow a rotation, or somebody else has made one",
    async () => {
      const without = await service.issueKey({ plan: "pro" });
      const stolen = await service.issueKey({ plan: "pro", mayRotate: true });
      await visit(async ({ page }) => {
        await enter(page, without.secret);
        await page.getByText("The operator has not allowed this key to rotate its own secret.").waitFor();
        expect(await page.getByRole("button", { name: "Rotate" }).count()).toBe(0);
        await page.getByRole("button", { name: "Forget the key" }).click();
        await enter(page, stolen.secret);
        await isShown(page);
        expect((await service.call("POST /key/rotate", { secret: stolen.secret })).status).toBe(200);
        await page.getByRole("button", { name: "Rotate the secret" }).click();
        await page.getByRole("button", { name: "Create a new secret" }).click();
        await page.getByRole("alert").getByText("If you did not replace it, somebody else has the secret").waitFor();
      }, /409/);
    },
    TEST_MS,
  );
});
