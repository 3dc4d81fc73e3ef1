import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../../harness/browser/desk.ts";
import { Fleet, type IssuedKey } from "../../harness/service/fleet.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

// What a clerk and a viewer see of the console, in a real browser, against the executable. A page that asked for what
// its role may not have would fail the test: no request may be refused that is not expected.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the console in another role", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    let key: IssuedKey;
    let animalId = "";
    setUp(async () => {
      fleet = await Fleet.start(backend);
      key = await fleet.issueBoundlessKey("Storefront");
      const { secret } = key;
      await fleet.call("PUT /categories/7", { secret, body: { name: "Dogs" } });
      for (const name of ["Rex", "Max"]) {
        const { body } = await fleet.call("POST /pets", { secret, body: { name, categoryId: 7, status: "available" } });
        animalId = String(body.id);
        await fleet.call("POST /store/orders", { secret, body: { petId: body.id } });
      }
    }, BROWSER_TEST_MS);

    test(
      "a viewer finds everything to look at, nothing to change, and no page asks for what is refused",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await desk.sees("Vera (viewer)");
            for (const [path, title] of [
              ["", "Overview"],
              ["/keys", "Keys"],
              [`/keys/${key.id}`, "Storefront"],
              ["/animals", "Animals"],
              [`/animals/${animalId}`, "Max"],
              ["/animals/categories", "Categories"],
              ["/animals/import", "Import"],
              ["/orders", "Orders"],
              ["/journal", "Journal"],
            ] as const) {
              await desk.visit(path);
              await desk.title(title).waitFor();
              await desk.settled();
              const offered = await page.getByRole("main").getByRole("button").allInnerTexts();
              // Copying an id, and choosing what is shown, change nothing.
              expect([path, offered.filter((text) => !/^(Copy|Period…|$)/.test(text.trim()))]).toEqual([path, []]);
              await desk.expectUsable(`${title} of a viewer`);
            }
            // A poll may be under way.
            desk.allows(/^401 GET/);
            await desk.button("sign out").click();
            expect(await desk.button("Sign out everywhere").count()).toBe(0);
            await desk.button("Sign out here").click();
            await desk.sees("You have signed out.");
          },
          { name: "Vera", role: "viewer" },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "a clerk adds animals and approves orders, and is told that keys are not for clerks",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await desk.sees("Clara (clerk)");
            const sections = page.getByRole("navigation", { name: "Console" }).getByRole("link");
            expect((await sections.allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
              "Overview",
              "Animals",
              "Orders",
              "Journal",
            ]);
            await desk.go("Animals");
            await desk.row("Rex").waitFor();
            expect(await desk.button("Export").count()).toBe(0);
            await desk.button("Add an animal").click();
            const add = desk.dialog("Add an animal");
            await add.getByLabel("Name").fill("Tom");
            await add.getByRole("combobox", { name: "Category" }).fill("7");
            await desk.button("Add", add).click();
            await desk.told("Added “Tom”");
            await desk.go("Orders");
            await desk
              .button(/^Cancel… order/)
              .first()
              .click();
            await desk.button("Cancel the order").click();
            await desk.told(/Order \d+ is now cancelled\./);
            await desk.go("Journal");
            await desk.row("Added animal Tom").getByText("clerk, console").first().waitFor();
            // A key is named there, without a way to its page.
            await desk.row("Issued key Storefront").waitFor();
            expect(await page.getByRole("link", { name: "Storefront" }).count()).toBe(0);
            for (const path of ["/keys", `/keys/${key.id}`]) {
              await desk.visit(path);
              await desk.title("Not for your role").waitFor();
              await desk.sees("A clerk does not see this page");
            }
            await desk.expectUsable("a page that is not for clerks");
            await desk.visit("");
            await desk.heading("Open orders").waitFor();
            await desk.settled();
            expect(await desk.heading("Busiest keys").count()).toBe(0);
            await desk.expectUsable("the overview of a clerk");
            expect(await page.locator("main a[href*='/keys']").count()).toBe(0);
          },
          { name: "Clara", role: "clerk" },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "a link in another role, opened in the same browser, shows nothing of what the first role saw",
      () =>
        withDesk(fleet, async (desk) => {
          await desk.go("Keys");
          await desk.row("Storefront").waitFor();
          await desk.page.goto(await fleet.link("Clara", "clerk"));
          await desk.sees("Clara (clerk)");
          await desk.visit("/keys");
          await desk.title("Not for your role").waitFor();
          expect(await desk.page.getByText("Storefront").count()).toBe(0);
          desk.expects(/^401 GET \/console\/api\//);
          await fleet.run("console", "sign-out", "Clara");
          await desk.follow("/animals");
          await desk.heading("Sign in").waitFor();
        }),
      BROWSER_TEST_MS,
    );
  });
});
