import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

// Several rows of a list at once, in a real browser, against the executable.

const withDesk = openBrowser();

const KEYS = ["Aviary", "Kiosk", "Till", "Zoo"];
const FREE = 8;
const ORDERED = ["Rex", "Zoë"];

/** Issues keys, and adds animals: the newest two are ordered. */
async function fill(fleet: Fleet): Promise<void> {
  const { secret } = await fleet.issueBoundlessKey("Storefront");
  for (const name of KEYS) await fleet.issueKey(name, "--plan", "pro");
  await fleet.call("PUT /categories/9", { secret, body: { name: "Birds" } });
  const add = async (name: string): Promise<unknown> =>
    (await fleet.call("POST /pets", { secret, body: { name, categoryId: 7, status: "available" } })).body.id;
  for (let i = 1; i <= FREE; i++) await add(`Finch ${i}`);
  for (const name of ORDERED) await fleet.call("POST /store/orders", { secret, body: { petId: await add(name) } });
}

const box = ({ page }: Desk, name: string | RegExp) => page.getByRole("checkbox", { name });
const bar = ({ page }: Desk) => page.getByRole("region", { name: "Selection" });
const selected = (desk: Desk, words: string): Promise<void> => bar(desk).getByText(words, { exact: true }).waitFor();
const ticked = ({ page }: Desk): Promise<number> => page.locator("tbody input:checked").count();

describe.skipIf(!CHROMIUM)("several rows of a list in the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
      await fill(fleet);
    }, BROWSER_TEST_MS);

    test(
      "are ticked one by one, by a range, all at once and by a key, and no longer after another filter",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.visit("/keys?plan=pro&sort=name");
          await box(desk, "Select Aviary").click();
          await selected(desk, "1 key selected");
          await box(desk, "Select Till").click({ modifiers: ["Shift"] });
          await selected(desk, "3 keys selected");
          expect(new URL(page.url()).search).toBe("?plan=pro&sort=name");
          await box(desk, "Select all on this page").click();
          await selected(desk, "4 keys selected");
          await desk.button("Select none").click();
          await bar(desk).waitFor({ state: "detached" });
          await desk.title("Keys").focus();
          for (const key of ["j", "j", "x", "j", "x"]) await page.keyboard.press(key);
          await selected(desk, "2 keys selected");
          expect(await box(desk, "Select Aviary").isChecked()).toBe(false);
          // After a tick with the mouse, keys go on from that row.
          await box(desk, "Select Aviary").click();
          await page.keyboard.press("x");
          await selected(desk, "2 keys selected");
          await desk.expectUsable("keys, some selected");
          await desk.expectUnclipped("keys, some selected");
          await page.getByRole("searchbox").fill("zoo");
          await desk.row("Kiosk").waitFor({ state: "detached" });
          await bar(desk).waitFor({ state: "detached" });
          await page.getByRole("searchbox").fill("");
          await desk.row("Kiosk").waitFor();
          expect(await ticked(desk)).toBe(0);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of keys are suspended, resumed and revoked with one question, and the journal has each",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.visit("/keys?sort=name");
          for (const name of ["Aviary", "Kiosk", "Till"]) await box(desk, `Select ${name}`).click();
          await bar(desk).getByRole("button", { name: "Suspend…" }).click();
          await desk.dialog("Suspend 3 keys?").getByText("Aviary").waitFor();
          await desk.button("Leave them as they are").click();
          await desk.closed();
          await selected(desk, "3 keys selected");
          await bar(desk).getByRole("button", { name: "Suspend…" }).click();
          await desk.button("Suspend 3 keys").click();
          await desk.told("3 keys were suspended.");
          await desk.closed();
          expect(await ticked(desk)).toBe(0);
          await desk.row("Till").getByText("Suspended").waitFor();
          for (const name of ["Aviary", "Zoo"]) await box(desk, `Select ${name}`).click();
          // The palette offers what the bar does.
          await desk.choose("resume", "Resume… (2 keys selected)");
          const resume = desk.dialog("Resume 1 key?");
          await resume.getByText("This cannot be done to 1 other selected key, which stays as it is.").waitFor();
          await desk.button("Resume 1 key").click();
          await desk.told("1 key was resumed.");
          await desk.closed();
          await selected(desk, "1 key selected");
          await desk.button("Select none").click();
          for (const name of ["Kiosk", "Till"]) await box(desk, `Select ${name}`).click();
          await bar(desk).getByRole("button", { name: "Revoke…" }).click();
          const revoke = desk.dialog("Revoke 2 keys?");
          expect(await desk.button("Revoke 2 keys", revoke).isDisabled()).toBe(true);
          await desk.expectUsable("revoking keys");
          await desk.expectUnclipped("revoking keys");
          await revoke.getByLabel("Type 2 to confirm").fill("2");
          await page.keyboard.press("Enter");
          await desk.told("2 keys were revoked.");
          await desk.go("Journal");
          for (const [deed, count] of [
            ["Suspended key", 3],
            ["Resumed key", 1],
            ["Revoked key", 2],
          ] as const) {
            await desk.row(deed).first().waitFor();
            expect([deed, await desk.row(deed).count()]).toEqual([deed, count]);
          }
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of animals are changed and deleted; those that are refused stay selected, and their reasons are reported",
      () =>
        withDesk(fleet, async (desk) => {
          desk.expects(/^409 PATCH \/console\/api\/animals\//);
          await desk.go("Animals");
          await desk.row("Finch 8").waitFor();
          for (const name of ["Rex", "Finch 8", "Finch 7"]) await box(desk, new RegExp(`^Select ${name} `)).click();
          await bar(desk).getByRole("button", { name: "Set status…" }).click();
          await desk.dialog("Set the status of 3 animals?").getByLabel("Status").selectOption("sold");
          await desk.button("Set the status of 3 animals").click();
          const report = desk.dialog("Not all were changed");
          await report.waitFor();
          await desk.sees("2 animals were set to sold. 1 was refused, and stays selected.");
          await report
            .getByRole("listitem")
            .filter({ hasText: /Rex \(\d+\).*Deliver or cancel the order first/ })
            .waitFor();
          await desk.expectUsable("the report");
          await desk.expectUnclipped("the report");
          await desk.button("Close", report).click();
          await selected(desk, "1 animal selected");
          expect(await box(desk, /^Select Rex /).isChecked()).toBe(true);
          await desk.row("Finch 8").getByText("Sold").waitFor();

          await box(desk, /^Select Finch 6 /).click();
          await bar(desk).getByRole("button", { name: "Set category…" }).click();
          const category = desk.dialog("Set the category of 2 animals?");
          await desk.button("Set the category of 2 animals", category).click();
          await category.getByText("The category is missing. Choose a suggestion, or enter a number.").waitFor();
          await category.getByRole("combobox", { name: "Category" }).fill("birds");
          await desk.button("Set the category of 2 animals", category).click();
          await desk.told("2 animals were put into Birds.");
          await desk.row("Finch 6").getByText("Birds").waitFor();

          await desk.closed();
          for (const name of ["Finch 8", "Finch 7"]) await box(desk, new RegExp(`^Select ${name} `)).click();
          await bar(desk).getByRole("button", { name: "Delete…" }).click();
          await desk.dialog("Delete 2 animals?").getByLabel("Type 2 to confirm").fill("2");
          await desk.button("Delete 2 animals").click();
          await desk.told("2 animals were deleted.");
          await desk.row("Finch 8").waitFor({ state: "detached" });
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of animals are no longer begun once it is stopped, and the report says how many were not",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const held = Promise.withResolvers<void>();
          let sent = 0;
          await page.route("**/console/api/animals/*", async (route) => {
            if (route.request().method() === "PATCH") {
              sent++;
              await held.promise;
            }
            await route.continue();
          });
          await desk.visit("/animals?name=finch");
          await box(desk, "Select all on this page").click();
          await selected(desk, "6 animals selected");
          await bar(desk).getByRole("button", { name: "Set status…" }).click();
          await desk.button("Set the status of 6 animals").click();
          await desk.dialog("Set the status of 6 animals").getByText("0 of 6").waitFor();
          // Requests that are under way are not given up.
          await page.keyboard.press("Escape");
          await desk.button("Stop").click();
          await desk.sees("Stopping…");
          expect(sent).toBe(4);
          held.resolve();
          await desk.sees("4 animals were set to available. 2 were not begun, and stay selected.");
          await desk.button("Close").click();
          await selected(desk, "2 animals selected");
          expect(sent).toBe(4);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of orders are approved and delivered as far as each of them can be, and a viewer can tick none",
      () =>
        withDesk(fleet, async (desk) => {
          await desk.visit("/orders?view=list");
          await box(desk, "Select all on this page").click();
          await selected(desk, "2 orders selected");
          expect(await bar(desk).getByRole("button", { name: "Deliver…" }).count()).toBe(0);
          await bar(desk).getByRole("button", { name: "Approve…" }).click();
          await desk.button("Approve 2 orders").click();
          await desk.told("2 orders were approved.");
          await desk.row("Zoë").getByText("Approved").waitFor();
          await desk.closed();
          await box(desk, /\(Zoë\)$/).click();
          await bar(desk).getByRole("button", { name: "Deliver…" }).click();
          await desk.button("Deliver 1 order").click();
          await desk.row("Zoë").getByText("Delivered").waitFor();
          await desk.page.goto(await fleet.link("Vera", "viewer"));
          await desk.sees("Vera (viewer)");
          for (const path of ["/keys", "/animals", "/orders?view=list"]) {
            await desk.follow(path);
            await desk.page.locator("tbody tr").first().waitFor();
            expect([path, await desk.page.getByRole("checkbox").count()]).toEqual([path, 0]);
          }
        }),
      BROWSER_TEST_MS,
    );
  });
});
