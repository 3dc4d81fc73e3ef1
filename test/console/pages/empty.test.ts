import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../../harness/browser/desk.ts";
import { setUp } from "../../harness/cleanup.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { sqlite } from "../../harness/service/stores.ts";

// Empty states and missing pages of the console, in a real browser.

const withDesk = openBrowser();

const NO_KEY = "00000000-0000-7000-8000-000000000000";

describe.skipIf(!CHROMIUM)("the console", () => {
  let fleet: Fleet;
  setUp(async () => {
    fleet = await Fleet.start(sqlite);
  }, BROWSER_TEST_MS);

  test(
    "says on each empty list what to do next",
    () =>
      withDesk(fleet, async (desk) => {
        for (const [path, words] of [
          ["", "No key was used in this period. See the keys"],
          ["/keys?search=nobody", "Change the search, or show all"],
          ["/animals", "Add the first one with the button above, or import a file"],
          ["/animals?status=sold", "There are no sold animals. Show all animals"],
          ["/animals/categories", "Name the first one with the button above"],
          ["/animals/categories?name=x", "No name begins with that. Show all categories"],
          ["/animals/import", "Drop a file above, or run npx animal-store animals import"],
          ["/orders", "New orders appear here."],
          ["/orders", "Orders that you approve appear here."],
          ["/orders", "Orders that you deliver appear here."],
          ["/orders", "Cancelled orders appear here."],
          [`/journal?key=${NO_KEY}`, "No entries yet"],
        ] as const) {
          await desk.follow(path);
          await desk.sees(words);
        }
        await desk.page.getByRole("link", { name: "Show everything" }).last().click();
        await desk.row("Created a console link").first().waitFor();
      }),
    BROWSER_TEST_MS,
  );

  test(
    "greets the operator with three steps, which tick themselves off and can be hidden for good",
    async () => {
      const other = await Fleet.start(sqlite);
      await withDesk(other, async (desk) => {
        const { page } = desk;
        const step = (name: string) => page.locator(".steps > li").filter({ has: page.getByRole("heading", { name }) });
        await desk.heading("First steps").waitFor();
        await desk.expectUsable("the first steps");
        await desk.expectUnclipped("the first steps");
        await desk.button("Issue a key", step("Issue a key")).click();
        await desk.dialog("Issue a key").getByLabel("Name").fill("Website");
        await desk.button("Issue", desk.dialog("Issue a key")).click();
        const secret = await desk.dialog("The secret of Website").getByLabel("Secret", { exact: true }).inputValue();
        await page.getByLabel("I have saved the secret").check();
        await desk.button("Done").click();
        await desk.title("Website").waitFor();
        await desk.go("Overview");
        await step("Issue a key done").waitFor();
        await desk.button("Add an animal", step("Add animals")).click();
        await desk.dialog("Add an animal").getByLabel("Name").fill("Rex");
        await desk.dialog("Add an animal").getByRole("combobox", { name: "Category" }).fill("7");
        await desk.button("Add", desk.dialog("Add an animal")).click();
        await desk.told("Done: Add animals.");
        await step("Add animals done").waitFor();
        await desk.button("Copy the command", step("Try a request")).click();
        // What is to be copied into a shell is what a shell needs.
        const [command, url] = /^curl -H "Authorization: Bearer \$API_KEY" (\S+)$/.exec(await desk.copied()) ?? [];
        expect(command).toBeDefined();
        const headers = { Authorization: `Bearer ${secret}` };
        expect(await (await fetch(url as string, { headers })).json()).toMatchObject([{ name: "Rex" }]);
        await desk.heading("Your store is in use").waitFor();
        await desk.expectUsable("the first steps, done");
        // A store that is in use greets nobody.
        await page.reload();
        await desk.heading("Open orders").waitFor();
        await desk.settled();
        expect(await page.locator(".steps").count()).toBe(0);
      });
      await withDesk(
        fleet,
        async (desk) => {
          const { page } = desk;
          await desk.button("Hide these steps").click();
          await page.reload();
          await desk.heading("Open orders").waitFor();
          await desk.settled();
          expect(await page.locator(".steps").count()).toBe(0);
        },
        { hasClock: true },
      );
      await withDesk(
        fleet,
        async (desk) => {
          await desk.heading("Open orders").waitFor();
          await desk.settled();
          expect(await desk.page.locator(".steps").count()).toBe(0);
        },
        { name: "Vera", role: "viewer" },
      );
    },
    BROWSER_TEST_MS,
  );

  test(
    "says of what there is not that it was not found, and where to go on",
    () =>
      withDesk(fleet, async (desk) => {
        const { page } = desk;
        desk.expects(/^404 GET \/console\/api\/animals\/12$/, /^404 GET \/console\/api\/keys/, /^400 GET/);
        await desk.visit("/animals/12");
        await desk.heading("Not found").waitFor();
        await page.getByRole("link", { name: "Go to the list" }).click();
        await desk.heading("No animals yet").waitFor();
        await desk.visit(`/keys/${NO_KEY}`);
        await desk.heading("Not found").waitFor();
        await desk.visit("/animals?cursor=made-up");
        await page.getByRole("link", { name: "Start over" }).click();
        await desk.heading("No animals yet").waitFor();
        await desk.visit("/nowhere/at/all");
        await desk.heading("Not found").waitFor();
        await page.getByRole("main").getByRole("link").first().click();
        await desk.heading("Overview").waitFor();
      }),
    BROWSER_TEST_MS,
  );
});
