import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/base/time/clock.ts";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

// Periods that a user chooses, on the overview and for one key, in a real browser, against the executable.

const withDesk = openBrowser();

/** The minute of the hour with many requests. */
const PEAK = 30;

describe.skipIf(!CHROMIUM)("a period", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    let keyId: string;
    const fromMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
    setUp(async () => {
      fleet = await Fleet.start(backend);
      ({ id: keyId } = await fleet.issueKey("Historic", "--plan", "free"));
      for (let minute = -60; minute < 60; minute++) {
        const passed = minute < 0 ? 1 : minute === PEAK ? 50 : 2;
        const values = `${fromMs + minute * MINUTE_MS}, ${passed}, ${passed}`;
        await fleet.query(`INSERT INTO usage_minutes (started_at, passed, ms_1) VALUES (${values})`);
        await fleet.query(
          `INSERT INTO key_usage_minutes (key_id, started_at, passed, ms_1) VALUES ('${keyId}', ${values})`,
        );
      }
    }, BROWSER_TEST_MS);

    const requests = (desk: Desk, count: number) =>
      desk
        .fact("Requests")
        .filter({ hasText: new RegExp(`^${count}$`) })
        .waitFor();
    const plot = (desk: Desk) => desk.page.getByRole("slider", { name: /^Requests per minute/ });

    /** Types a time as the viewer's clock shows it. */
    async function type(desk: Desk, label: string, ms: number): Promise<void> {
      const text = await desk.page.evaluate<string>(
        `new Date(${ms} - new Date(${ms}).getTimezoneOffset() * ${MINUTE_MS}).toISOString().slice(0, 16)`,
      );
      await desk.page.getByLabel(label, { exact: true }).fill(text);
    }

    test(
      "is typed, dragged over or opened by Enter, is left by Back, and is shown beside the one before",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.button("Period…").click();
          await desk.dialog("Choose a period").waitFor();
          await desk.expectUsable("the dialog of periods");
          await type(desk, "From", fromMs);
          await type(desk, "Until", fromMs - HOUR_MS);
          await desk.button("Show this period").click();
          await desk.sees("The period has to end after it begins. Choose a later time, or leave it empty.");
          await desk.expectFocus(page.getByLabel("Until", { exact: true }));
          await type(desk, "Until", fromMs + HOUR_MS);
          desk.expects(/^400 GET/);
          await desk.button("Show this period").click();
          await desk.closed();
          await requests(desk, 168);
          await desk.sees("60 before");
          expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
            from: `${new Date(fromMs).toISOString().slice(0, 16)}Z`,
            to: `${new Date(fromMs + HOUR_MS).toISOString().slice(0, 16)}Z`,
          });
          await page
            .getByRole("table", { name: "Busiest keys" })
            .getByRole("row", { name: /^Historic 168/ })
            .waitFor();
          await desk.settled();
          await desk.expectUsable("/console in a period");
          await plot(desk).focus();
          await page.keyboard.press("Home");
          expect(await plot(desk).getAttribute("aria-valuetext")).toEndWith(" 1 in the period before");

          const over = page.locator(".u-over").first();
          const box = (await over.boundingBox()) as NonNullable<Awaited<ReturnType<typeof over.boundingBox>>>;
          const middleOf = (bar: number): number => box.x + (box.width * (bar + 0.5)) / 60;
          await page.mouse.move(middleOf(PEAK - 10), box.y + 20);
          await page.mouse.down();
          await page.mouse.move(middleOf(PEAK), box.y + 30);
          await page.mouse.move(middleOf(PEAK + 10), box.y + 40);
          await page.mouse.up();
          await requests(desk, 20 * 2 + 50);
          // Away from the plot, so that the pointer chooses no bar.
          await page.mouse.move(0, 0);
          await plot(desk).focus();
          await page.keyboard.press("Home");
          for (let bar = 0; bar < 10; bar++) await page.keyboard.press("ArrowRight");
          await page.keyboard.press("Enter");
          await requests(desk, 50);
          await page.goBack();
          await requests(desk, 90);
          await page.goBack();
          await requests(desk, 168);
          await page.getByRole("link", { name: "24 hours" }).click();
          await desk.sees("Requests per hour");
          expect(new URL(page.url()).search).toBe("?span=day");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "is that of one key as well, with how long its requests took",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const from = `${new Date(fromMs).toISOString().slice(0, 16)}Z`;
          await desk.follow(`/keys/${keyId}?from=${from}&to=${from}`);
          await desk.sees("The period has to end after it begins. Choose a later time, or leave it empty.");
          desk.expects(/^400 GET/);
          const to = `${new Date(fromMs + HOUR_MS).toISOString().slice(0, 16)}Z`;
          await desk.follow(`/keys/${keyId}?from=${from}&to=${to}`);
          await requests(desk, 168);
          const latency = page.getByRole("slider", { name: /^Time to answer, by minute/ });
          await latency.focus();
          await page.keyboard.press("Home");
          expect(await latency.getAttribute("aria-valuetext")).toMatch(
            /: [\d.]+ ms median, [\d.]+ ms 99th percentile$/,
          );
          await desk.settled();
          await desk.expectUsable("a key in a period");
        }),
      BROWSER_TEST_MS,
    );
  });
});
