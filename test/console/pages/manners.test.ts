import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { setUp } from "../../harness/cleanup.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { sqlite } from "../../harness/service/stores.ts";

// The behaviour of all pages: the address holds the state, the keyboard is enough, and changes are announced to screen
// readers.

const withDesk = openBrowser();

/** Presses Tab until the element has the focus, which must be visible. */
async function tabTo({ page }: Desk, name: RegExp): Promise<void> {
  const focused = (): Promise<string> =>
    page.evaluate<string>(`(() => {
      const it = document.activeElement;
      return it?.getAttribute("aria-label") ?? it?.labels?.[0]?.innerText ?? it?.innerText ?? "";
    })()`);
  for (let presses = 0; !name.test((await focused()).replace(/\s+/g, " ").trim()); presses++) {
    if (presses > 60) throw new Error(`Tab does not lead to ${name}, but to ${await focused()}`);
    await page.keyboard.press("Tab");
  }
  expect(await page.evaluate<boolean>("document.activeElement.matches(':focus-visible')")).toBe(true);
}

describe.skipIf(!CHROMIUM)("the pages of the console", () => {
  let fleet: Fleet;
  let secret: string;
  setUp(async () => {
    fleet = await Fleet.start(sqlite);
    ({ secret } = await fleet.issueBoundlessKey());
    await Promise.all(["Vet", "Website"].map((name) => fleet.issueKey(name, "--plan", "pro")));
  }, BROWSER_TEST_MS);

  test(
    "show a change at once, and no answer after it that is older",
    () =>
      withDesk(fleet, async (desk) => {
        const { page } = desk;
        const { id } = await fleet.issueKey("Held up", "--plan", "pro");
        await desk.visit(`/keys/${id}`);
        await desk.button("Suspend").waitFor();
        // From here on, polls are answered as things are now, but only when the test lets them.
        const held = Promise.withResolvers<void>();
        const older = Promise.withResolvers<void>();
        const path = `**/console/api/keys/${id}`;
        await page.route(path, async (route) => {
          const response = await route.fetch();
          held.resolve();
          await older.promise;
          // The page may have given it up.
          await route.fulfill({ response }).catch(() => {});
        });
        await held.promise;
        await desk.button("Suspend").click();
        await desk.button("Resume").waitFor();
        older.resolve();
        await page.evaluate<void>("new Promise((resolve) => setTimeout(resolve, 100))");
        expect(await desk.button("Resume").count()).toBe(1);
      }),
    BROWSER_TEST_MS,
  );

  test(
    "are the address: reload, back and a shared link give the same view",
    () =>
      withDesk(fleet, async (desk) => {
        const { page } = desk;
        await desk.visit("/keys");
        await page.getByRole("combobox", { name: "Plan" }).selectOption("Pro");
        await desk.row("Storefront").waitFor({ state: "detached" });
        const shared = page.url();
        await desk.row("Vet").getByRole("link").click();
        await desk.heading("Vet").waitFor();
        await page.getByRole("link", { name: "24 hours" }).click();
        await page.waitForURL(/span=day/);
        await page.reload();
        await page.getByRole("link", { name: "24 hours" }).and(page.locator("[aria-current]")).waitFor();
        await page.goBack();
        await page.goBack();
        await desk.row("Vet").waitFor();
        expect(page.url()).toBe(shared);
        expect(await page.getByRole("combobox", { name: "Plan" }).inputValue()).toBe("pro");
        const other = await desk.context.newPage();
        await other.goto(shared);
        await other.getByRole("row").filter({ hasText: "Vet" }).waitFor();
        expect(await other.getByRole("row").count()).toBe(await page.getByRole("row").count());
      }),
    BROWSER_TEST_MS,
  );

  test(
    "need no mouse: from the link to a new key, an animal, its order and a file by the keyboard alone",
    () =>
      withDesk(fleet, async (desk) => {
        const { keyboard } = desk.page;
        await tabTo(desk, /^Skip to content$/);
        await tabTo(desk, /^Keys/);
        await keyboard.press("Enter");
        await desk.expectFocus(desk.title("Keys"));
        await tabTo(desk, /^Issue a key$/);
        await keyboard.press("Enter");
        await desk.dialog("Issue a key").waitFor();
        await keyboard.press("Escape");
        await desk.closed();
        await desk.expectFocus(desk.button("Issue a key"));
        await keyboard.press("Enter");
        await desk.dialog("Issue a key").waitFor();
        await keyboard.type("By keyboard");
        await tabTo(desk, /^Free: /);
        for (let i = 0; i < 2; i++) await keyboard.press("ArrowDown");
        await tabTo(desk, /^Write orders$/);
        await keyboard.press("Space");
        await tabTo(desk, /^Issue$/);
        await keyboard.press("Enter");
        await desk.dialog("The secret of By keyboard").waitFor();
        await tabTo(desk, /^Copy\s/);
        await keyboard.press("Enter");
        await tabTo(desk, /^Done$/);
        await keyboard.press("Enter");
        await desk.heading("By keyboard").waitFor();
        expect(await desk.fact("Plan").innerText()).toStartWith("Business");
        expect(await desk.fact("Access").innerText()).toBe("Read and write pets; read orders");

        await fleet.call("PUT /categories/77", { secret, body: { name: "Tortoises" } });
        await desk.follow("/animals");
        await desk.expectFocus(desk.title("Animals"));
        await tabTo(desk, /^Add an animal$/);
        await keyboard.press("Enter");
        await desk.dialog("Add an animal").waitFor();
        await keyboard.type("Tessa");
        await tabTo(desk, /^Category/);
        await keyboard.type("tort");
        await desk.page.getByRole("option", { name: "Tortoises 77" }).waitFor();
        await keyboard.press("ArrowDown");
        await keyboard.press("Enter");
        await tabTo(desk, /^Add$/);
        await keyboard.press("Enter");
        await desk.row("Tessa").filter({ hasText: "Tortoises" }).waitFor();

        const [tessa] = (await fleet.query("SELECT id FROM animals WHERE name = 'Tessa'")) as [{ id: unknown }];
        const { body } = await fleet.call("POST /store/orders", { secret, body: { petId: Number(tessa.id) } });
        await desk.follow("/orders");
        await desk.button(`Approve order ${body.id}`).waitFor();
        await tabTo(desk, new RegExp(`^Approve order ${body.id}$`));
        await keyboard.press("Enter");
        await desk.expectFocus(desk.button(`Undo order ${body.id}`));

        await desk.follow("/animals/import");
        await desk.told(`Order ${body.id} is now approved.`);
        await desk.expectFocus(desk.title("Import"));
        const choosing = desk.page.waitForEvent("filechooser");
        await tabTo(desk, /^Choose a file/);
        await keyboard.press("Enter");
        const chooser = await choosing;
        const buffer = Buffer.from("name,categoryId,status\nTom,77,available\n");
        await chooser.setFiles({ name: "one.csv", mimeType: "text/csv", buffer });
        await desk.button("Import 1 animal").waitFor();
        await tabTo(desk, /^Import 1 animal$/);
        await keyboard.press("Enter");
        await desk.sees("1 animal was added.");
      }),
    BROWSER_TEST_MS,
  );

  test(
    "need no mouse either: a key suspended and rotated, an animal corrected, two put into a category, an order delivered",
    () =>
      withDesk(fleet, async (desk) => {
        const { keyboard } = desk.page;
        const { id } = await fleet.issueKey("Kiosk", "--plan", "free");
        await desk.choose("Kiosk");
        await desk.expectFocus(desk.title("Kiosk"));
        await desk.choose("Suspend this key");
        await desk.told("Suspended: the key does not work until you resume it.");
        await desk.choose("Resume this key");
        await desk.told("Resumed: the key works again.");
        await desk.choose("Rotate this key");
        await desk.dialog("Rotate Kiosk").waitFor();
        await keyboard.press("Home");
        await tabTo(desk, /^Create a new secret$/);
        await keyboard.press("Enter");
        await desk.dialog("The new secret of Kiosk").waitFor();
        await tabTo(desk, /^I have saved the secret/);
        await keyboard.press("Space");
        await tabTo(desk, /^Done$/);
        await keyboard.press("Enter");
        await desk.closed();
        expect(await fleet.query(`SELECT count(*) AS n FROM secrets WHERE key_id = '${id}'`)).toMatchObject([{ n: 2 }]);

        await fleet.call("PUT /categories/78", { secret, body: { name: "Geckos" } });
        const placed: number[] = [];
        for (const name of ["Gina", "Gus"]) {
          const { body } = await fleet.call("POST /pets", { secret, body: { name, categoryId: 1 } });
          placed.push(body.id);
        }
        await desk.follow("/animals");
        await desk.row("Gina").waitFor();
        // The newest are first.
        for (let row = 0; row < 2; row++) {
          await keyboard.press("j");
          await keyboard.press("x");
        }
        await desk.choose("Set category", "Set category… (2 animals selected)");
        await desk.dialog("Set the category of 2 animals?").waitFor();
        await tabTo(desk, /^Category/);
        await keyboard.type("geckos");
        await desk.page.getByRole("option", { name: "Geckos 78" }).waitFor();
        await keyboard.press("ArrowDown");
        await keyboard.press("Enter");
        await tabTo(desk, /^Set the category of 2 animals$/);
        await keyboard.press("Enter");
        await desk.told("2 animals were put into Geckos.");
        await desk.closed();

        await desk.follow(`/animals/${placed[0]}`);
        await desk.title("Gina").waitFor();
        await desk.choose("Edit this animal");
        await desk.dialog("Edit the animal").waitFor();
        await keyboard.press("Control+a");
        await keyboard.type("Gina II");
        await keyboard.press("Enter");
        await desk.title("Gina II").waitFor();

        const { body: order } = await fleet.call("POST /store/orders", { secret, body: { petId: placed[1] } });
        await desk.follow(`/orders/${order.id}`);
        await desk.title(`Order ${order.id}`).waitFor();
        await desk.choose(`Approve order ${order.id}`);
        await desk.told(`Order ${order.id} is now approved.`);
        await desk.choose(`Deliver order ${order.id}…`);
        await desk.dialog(`Deliver order ${order.id}?`).waitFor();
        await tabTo(desk, /^Deliver the order$/);
        await keyboard.press("Enter");
        await desk.row("Delivered").waitFor();
      }),
    BROWSER_TEST_MS,
  );

  test(
    "tell screen readers what changes: what was found, what was done, what went wrong, and where one is",
    () =>
      withDesk(fleet, async (desk) => {
        const { page } = desk;
        await desk.follow("/keys");
        await desk.row("Website").waitFor();
        // After navigation, the title has the focus.
        await desk.expectFocus(desk.heading("Keys"));
        await page.getByRole("searchbox").fill("web");
        await desk.told(/^1 key matches\.$/);
        await page.getByRole("searchbox").fill("");
        await desk.row("Vet").getByRole("link").click();
        await desk.expectFocus(desk.heading("Vet"));
        await desk.button("Suspend").click();
        await desk.told(/^Suspended: the key does not work/);
        await desk.button("Undo").click();
        await desk.told(/^Resumed: the key works again/);
        await desk.button("Copy the id").click();
        await desk.told(/^Copied the id\.$/);
        await desk.follow("/animals");
        await desk.button("Add an animal").click();
        const add = desk.dialog("Add an animal");
        await add.getByLabel("Name").fill("x".repeat(300));
        await add.getByRole("combobox", { name: "Category" }).fill("7");
        await desk.button("Add", add).click();
        // The error belongs to its field, which has the focus.
        const field = add.getByLabel("Name");
        await desk.expectFocus(field);
        const described = await field.getAttribute("aria-describedby");
        expect(await field.getAttribute("aria-invalid")).toBe("true");
        expect(await add.locator(`[id="${described?.split(" ").at(-1)}"]`).innerText()).toMatch(/255/);
        await desk.button("Cancel", add).click();
        await page.getByRole("searchbox").fill("nobody");
        await desk.told(/^0 animals\.$/);
      }),
    BROWSER_TEST_MS,
  );
});
