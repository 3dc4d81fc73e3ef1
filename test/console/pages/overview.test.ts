import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../../harness/browser/desk.ts";
import { expectUsable } from "../../harness/browser/usable.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// The overview, live updates without a reload, and staging, in a real browser, against the executable.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend, { ENVIRONMENT: "staging" });
    }, BROWSER_TEST_MS);

    test(
      "shows on its overview what was really asked for, without being loaded anew, and tells staging apart",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await page.evaluate("window.isTheSamePage = true");
            const { secret } = await fleet.issueBoundlessKey("Busy one");
            const reader = await fleet.issueKey("Reader", "--plan", "free", "--scopes", "pets:read");
            await desk.sees("Staging. Production is not affected.");
            expect(await page.title()).toBe("Overview · Animal Store (staging)");
            const { body: pet } = await fleet.call("POST /pets", { secret, body: { name: "Rex", categoryId: 7 } });
            await fleet.call("POST /store/orders", { secret, body: { petId: pet.id } });
            for (let sent = 0; sent < 28; sent++) await fleet.call("GET /pets", { secret });
            for (let sent = 0; sent < 4; sent++) await fleet.call("GET /pets/999", { secret: reader.secret });
            for (let sent = 0; sent < 5; sent++)
              await fleet.call("POST /pets", { secret: reader.secret, body: { name: "Rex", categoryId: 7 } });
            // Restarted, so that counts are in the store at once. Sessions survive.
            desk.expects(/^(net::ERR_|50\d)/);
            await fleet.restartUnderEyes(() => desk.later());
            const table = page.getByRole("table", { name: "Busiest keys" });
            await desk.seesLater(table.getByRole("row", { name: /^Busy one 30 0 0/ }));
            await table.getByRole("row", { name: /^Reader 9 4 5/ }).waitFor();
            await desk.fact("Requests").filter({ hasText: /^39$/ }).waitFor();
            expect(await desk.fact("Client errors").textContent()).toBe("4");
            expect(await desk.fact("Refused").textContent()).toBe("5");
            expect(await desk.fact("Failed").textContent()).toBe("0");
            expect(await desk.fact("99th percentile").textContent()).toMatch(/^[\d.]+ m?s$/);
            await page.getByRole("slider", { name: /^Refusals per minute/ }).waitFor();
            const counts = { Available: "0", Pending: "1", Sold: "0", Placed: "1", Approved: "0" };
            for (const [title, count] of Object.entries(counts))
              await desk
                .fact(title)
                .filter({ hasText: new RegExp(`^(about )?${count}$`) })
                .waitFor();
            const ready = page.getByRole("table", { name: "Instances" }).getByRole("row").filter({ hasText: "Ready" });
            await desk.seesLater(ready.nth(fleet.services.length - 1));
            expect(await ready.count()).toBe(fleet.services.length);
            await desk.sees(fleet.services.length === 1 ? "SQLite" : "PostgreSQL");
            expect(await page.evaluate<boolean>("window.isTheSamePage === true")).toBe(true);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    if (backend !== sqlite) {
      test(
        "has nothing that axe finds where it lists several instances",
        () =>
          withDesk(fleet, async (desk) => {
            await desk.page.getByRole("table", { name: "Instances" }).getByRole("row").nth(2).waitFor();
            await desk.settled();
            await expectUsable(desk.page, "/console with two instances", () => desk.settled());
          }),
        BROWSER_TEST_MS,
      );
      // Both stores do the rest without a browser, in test/console/overview.test.ts.
      return;
    }

    test(
      "shows the same by hour and for one key, with reasons, by pointer and arrow keys, and as a table",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await page.getByRole("link", { name: "30 days" }).click();
          await desk.sees("Requests per day");
          expect(new URL(page.url()).search).toBe("?span=month");
          const busiest = page.getByRole("table", { name: "Busiest keys" });
          await busiest.getByRole("row", { name: /^Reader 9 4 5/ }).waitFor();
          await desk.settled();
          await desk.expectUsable("/console with requests and refusals");
          await desk.expectUnclipped("/console with requests and refusals");
          const plots = await page.getByRole("slider").evaluateAll((all) => all.map((each) => each.ariaLabel));
          expect(plots.map((label) => label?.split(/ per |,/)[0])).toEqual(["Requests", "Refusals", "Time to answer"]);
          const refusals = page.getByRole("slider", { name: /^Refusals per day/ });
          await refusals.focus();
          await page.keyboard.press("End");
          expect(await refusals.getAttribute("aria-valuetext")).toEndWith("5 missing scope");
          await page.keyboard.press("Enter");
          await page.waitForURL(/from=/);
          await page.goBack();
          await page.waitForURL(/span=month/);
          await page.getByRole("link", { name: "Reader" }).click();
          await desk.heading("Reader").waitFor();
          await desk.fact("Requests").filter({ hasText: /^9$/ }).waitFor();
          await desk.sees("Refusals per minute");
          await page.getByRole("link", { name: "24 hours" }).click();
          await desk.sees("Refusals per hour");
          const plot = page.getByRole("slider", { name: /^Requests per hour/ });
          await plot.focus();
          await page.keyboard.press("Home");
          expect(await plot.getAttribute("aria-valuetext")).toEndWith("0 passed, 0 client errors, 0 refused, 0 failed");
          await page.keyboard.press("End");
          const texts = new Set<string | null>();
          // An hour may have ended in between.
          for (const key of ["End", "ArrowLeft"]) {
            await page.keyboard.press(key);
            texts.add(await plot.getAttribute("aria-valuetext"));
          }
          expect([...texts].some((text) => text?.endsWith("0 passed, 4 client errors, 5 refused, 0 failed"))).toBe(
            true,
          );
          await page.getByText("Show as a table").first().click();
          const table = page.getByRole("table", { name: "Requests per hour" });
          await table.getByRole("row", { name: / 0 4 5 0$/ }).waitFor();
          await page.getByText("Show as a table").nth(1).click();
          const refused = page.getByRole("table", { name: "Refusals per hour" });
          expect(await refused.getByRole("columnheader").allInnerTexts()).toHaveLength(2);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "says in the navigation that a count is an estimate, and has room for it at any width",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await page.route("**/console/api/frame", async (route) => {
            const frame = await (await route.fetch()).json();
            const animals = { value: 150_218_734, isEstimate: true, asOfMs: Date.now() };
            await route.fulfill({ json: { ...frame, animals, openOrders: { ...animals, isEstimate: false } } });
          });
          await desk.visit("");
          const navigation = page.getByRole("navigation", { name: "Console" });
          await navigation.getByRole("link", { name: "Animals about 150 M", exact: true }).waitFor();
          await navigation.getByRole("link", { name: "Orders 150 M", exact: true }).waitFor();
          expect(await navigation.getByRole("link", { name: "Animals" }).innerText()).toContain("≈\u2009150 M");
          await desk.settled();
          await desk.expectUsable("/console with an estimate");
          await desk.expectUnclipped("/console with an estimate");
          await page.unroute("**/console/api/frame");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "shows what others do while one looks: a key that is issued on the command line, one that is suspended, an order",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await desk.follow("/keys");
            await desk.heading("Keys").waitFor();
            await page.evaluate("window.isTheSamePage = true");
            const { id, secret } = await fleet.issueKey("From the shell", "--plan", "business");
            await desk.seesLater(desk.row("From the shell").filter({ hasText: "Business" }));
            await fleet.run("keys", "suspend", id);
            await desk.seesLater(desk.row("From the shell").filter({ hasText: "Suspended" }));
            await fleet.run("keys", "resume", id);
            await desk.go("Orders");
            await desk.heading("Orders").waitFor();
            await desk.settled();
            const works = async () => (await fleet.call("GET /pets", { secret })).status === 200;
            while (!(await works())) await Bun.sleep(50);
            const { body: pet } = await fleet.call("POST /pets", { secret, body: { name: "Mo", categoryId: 7 } });
            const { body } = await fleet.call("POST /store/orders", { secret, body: { petId: pet.id } });
            const show = desk.button(/^1 new order, show/);
            await desk.seesLater(show);
            await show.click();
            await page.getByRole("listitem", { name: `Order ${body.id}, placed` }).waitFor();
            await desk.go("Journal");
            await desk.row("Issued key From the shell").filter({ hasText: "command line" }).waitFor();
            expect(await page.evaluate<boolean>("window.isTheSamePage === true")).toBe(true);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );
  });
});
