import { describe, test } from "bun:test";
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
