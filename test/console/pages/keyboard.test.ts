import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { setUp as setUpOnce } from "../../harness/cleanup.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// The palette and the shortcuts, in a real browser, against the executable. Nothing here uses a mouse, unless it says so.

const withDesk = openBrowser();

const ORDERS = 12;

/** Places orders for animals with names of their own, and returns the id of a key. */
async function fill(fleet: Fleet): Promise<string> {
  const { secret } = await fleet.issueBoundlessKey("Storefront");
  const { id: vet } = await fleet.issueKey("Veterinary", "--plan", "pro");
  for (let i = 1; i <= ORDERS; i++) {
    const { body } = await fleet.call("POST /pets", {
      secret,
      body: { name: `Quokka ${i}`, categoryId: 7, status: "available" },
    });
    await fleet.call("POST /store/orders", { secret, body: { petId: body.id, reference: `Web ${1000 + i}` } });
  }
  await fleet.call("POST /pets", { secret, body: { name: "Zora", categoryId: 7, status: "available" } });
  return vet;
}

const field = ({ page }: Desk): Locator => page.getByRole("combobox", { name: "Find anything" });

const option = ({ page }: Desk, name: string | RegExp): Locator => page.getByRole("option", { name });

/** The option that Enter would choose, as a screen reader is told. */
const active = async ({ page }: Desk): Promise<string> =>
  page.evaluate<string>(
    `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).innerText.replace(/\\s+/g, " ")`,
  );

const groups = ({ page }: Desk): Promise<string[]> => page.locator(".palette-group").allInnerTexts();

/** The card or row with the focus. */
const current = ({ page }: Desk): Promise<string> =>
  page.evaluate<string>(
    `document.activeElement.closest(".card, tr")?.querySelector("a").innerText.replace(/\\D+/g, "") ?? ""`,
  );

describe.skipIf(!CHROMIUM)("the keyboard", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    let vet: string;
    setUp(async () => {
      fleet = await Fleet.start(backend);
      vet = await fill(fleet);
    }, BROWSER_TEST_MS);

    test(
      "finds a key, an animal and an order by name, id and reference, and opens what Enter chooses",
      () =>
        withDesk(fleet, async (desk) => {
          const [order] = (await fleet.query("SELECT id FROM orders WHERE reference = 'Web 1003'")) as [
            { id: unknown },
          ];
          const [zora] = (await fleet.query("SELECT id FROM animals WHERE name = 'Zora'")) as [{ id: unknown }];
          for (const [text, choice, title] of [
            ["veter", "Veterinary", "Veterinary"],
            [vet, "Veterinary", "Veterinary"],
            ["zor", `Zora id ${zora.id}`, "Zora"],
            [String(zora.id), `Zora id ${zora.id}`, "Zora"],
            ["Web 1003", `Order ${order.id} Quokka 3, Web 1003`, `Order ${order.id}`],
          ] as const) {
            await desk.choose(text, choice);
            await desk.title(title).waitFor();
            await desk.closed();
            await desk.expectFocus(desk.title(title));
          }
          await desk.ask("quokka");
          // Of more than five of a kind, the list has the rest.
          await option(desk, "All orders that match").waitFor();
          expect(await groups(desk)).toEqual(["Animals", "Orders"]);
          await desk.page.keyboard.press("End");
          await desk.page.keyboard.press("Enter");
          await desk.title("Orders").waitFor();
          await desk.row("Quokka 12").waitFor();
          expect(await desk.page.getByRole("searchbox").inputValue()).toBe("quokka");
          await desk.ask("nobody has this");
          await desk.sees("Nothing was found for “nobody has this”.");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "approves ten orders with ten keys once one is pointed at, one of which is held down, and takes the last one back",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Orders");
          await desk
            .button(/^Approve order/)
            .nth(ORDERS - 1)
            .waitFor();
          await page.keyboard.press("j");
          const first = Number(await current(desk));
          // A key that is held down repeats, and approves no other order.
          await page.keyboard.down("a");
          for (let i = 0; i < 5; i++) await page.keyboard.down("a");
          await page.keyboard.up("a");
          for (let i = 1; i < 10; i++) {
            await desk.button(`Undo order ${first - i + 1}`).waitFor();
            await desk.expectFocus(page.getByRole("link", { name: `Order ${first - i}`, exact: true }));
            await page.keyboard.press("a");
          }
          await desk.button(`Undo order ${first - 9}`).waitFor();
          await page.keyboard.press("u");
          await desk.told(`Order ${first - 9} is still placed.`);
          await desk.expectFocus(desk.button(`Approve order ${first - 9}`));
          await page.keyboard.press("a");
          const approved = page.getByRole("region", { name: "Approved" });
          await approved.getByRole("listitem").nth(9).waitFor();
          const statuses = await fleet.query("SELECT status, COUNT(*) AS count FROM orders GROUP BY status ORDER BY 1");
          expect(statuses.map((row) => Object.values(row as object).map(String))).toEqual([
            ["approved", "10"],
            ["placed", String(ORDERS - 10)],
          ]);
        }),
      BROWSER_TEST_MS,
    );

    for (const { role, pages, can, canNot } of [
      { role: "operator", pages: ["Overview", "Keys", "Animals"], can: ["Issue a key"], canNot: [] },
      { role: "viewer", pages: ["Overview", "Keys", "Animals"], can: [], canNot: ["Issue a key", "Add an animal"] },
      { role: "clerk", pages: ["Overview", "Animals"], can: ["Add an animal"], canNot: ["Export these animals"] },
    ] as const)
      test(
        `offers the ${role} the pages, actions and finds of that role, and asks for nothing else`,
        () =>
          withDesk(
            fleet,
            async (desk) => {
              const { page } = desk;
              await desk.go(role === "clerk" ? "Animals" : "Keys");
              await desk.title(role === "clerk" ? "Animals" : "Keys").waitFor();
              await desk.settled();
              await desk.ask("");
              const offered = await page.getByRole("option").allInnerTexts();
              expect(offered.slice(offered.indexOf("Overview")).slice(0, pages.length)).toEqual([...pages]);
              for (const title of can) expect(offered).toContain(title);
              for (const title of canNot) expect(offered).not.toContain(title);
              await page.keyboard.type("Veterinary");
              if (role === "clerk") await desk.sees("Nothing was found for “Veterinary”.");
              else await option(desk, "Veterinary").waitFor();
              await page.keyboard.press("Escape");
              await desk.closed();
              await page.keyboard.press("?");
              await desk.dialog("Keyboard shortcuts").waitFor();
              expect(await page.getByText("Approve the order, and go to the next").count()).toBe(
                role === "viewer" ? 0 : 1,
              );
            },
            { name: `The ${role}`, role },
          ),
        BROWSER_TEST_MS,
      );
  });

  describe("on SQLite", () => {
    let fleet: Fleet;
    setUpOnce(async () => {
      fleet = await Fleet.start(sqlite);
      await fill(fleet);
    }, BROWSER_TEST_MS);

    test(
      "does what the page can do: by the declaration of its buttons, its filters, and those of one row",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.ask("keys");
          await page.keyboard.press("Enter");
          await desk.expectFocus(desk.title("Keys"));
          await desk.row("Storefront").waitFor();
          await desk.ask("");
          expect(await active(desk)).toBe("Issue a key");
          await page.keyboard.press("Enter");
          await desk.dialog("Issue a key").waitFor();
          // A form is open, which the palette would cover.
          await page.keyboard.press("Control+k");
          expect(await field(desk).count()).toBe(0);
          await page.keyboard.press("Escape");
          await desk.closed();
          await desk.ask("plan pro");
          expect(await active(desk)).toBe("Plan: Pro");
          await page.keyboard.press("Enter");
          await page.waitForURL(/plan=pro/);
          await desk.row("Storefront").waitFor({ state: "detached" });
          await desk.row("Veterinary").getByRole("link").press("Enter");
          await desk.title("Veterinary").waitFor();
          await desk.ask("suspend");
          await page.keyboard.press("Enter");
          await desk.told(/^Suspended: the key does not work/);
          // The toast has an Undo, which the key presses.
          await page.keyboard.press("u");
          await desk.told(/^Resumed: the key works again/);
          await desk.choose("from", "From…");
          await desk.expectFocus(page.getByLabel("From", { exact: true }));
          await desk.ask("revoke");
          await page.keyboard.press("Enter");
          await desk.dialog("Revoke this key?").waitFor();
          await page.keyboard.press("Escape");
          await desk.closed();
          await desk.follow("/animals");
          await desk.row("Zora").waitFor();
          await desk.choose("category", "Category…");
          await desk.expectFocus(page.getByRole("combobox", { name: "Category" }));
          await page.keyboard.type("7");
          await page.keyboard.press("Enter");
          await page.waitForURL(/categoryId=7/);
          await desk.follow("/journal?key=nobody");
          await desk.heading("No entries yet").waitFor();
          await desk.choose("everything", "Show everything");
          await desk.row("Storefront").waitFor();
          await desk.follow("/orders");
          await desk
            .button(/^Approve order/)
            .first()
            .waitFor();
          await desk.ask("");
          // There are as many as orders, so they wait until they are asked for.
          expect(await option(desk, /^Approve order/).count()).toBe(0);
          await page.keyboard.type("approve order 5");
          await option(desk, "Approve order 5").waitFor();
          await page.keyboard.press("Enter");
          await desk.button("Undo order 5").waitFor();
          await page.keyboard.press("u");
          await desk.button("Approve order 5").waitFor();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "keeps the choice while more is found, follows arrows, Home and End around, and drops late answers",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          // The page offers more once it has its data.
          await desk.heading("Open orders").waitFor();
          await desk.settled();
          await desk.ask("");
          const all = (await page.getByRole("option").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
          await page.keyboard.press("ArrowUp");
          expect(await active(desk)).toBe(all.at(-1) as string);
          await page.keyboard.press("ArrowDown");
          expect(await active(desk)).toBe(all[0] as string);
          await page.keyboard.press("End");
          await page.keyboard.press("ArrowUp");
          expect(await active(desk)).toBe(all.at(-2) as string);
          await page.keyboard.press("Home");
          expect(await active(desk)).toBe(all[0] as string);
          // The answers for "q" are held back until those for "zora" are there.
          const late = Promise.withResolvers<void>();
          const isHeld = Promise.withResolvers<void>();
          await page.route("**/animals?name=q", async (route) => {
            isHeld.resolve();
            await late.promise;
            await route.continue().catch(() => {});
          });
          await page.keyboard.type("q");
          await isHeld.promise;
          await field(desk).fill("zora");
          await option(desk, /^Zora/).waitFor();
          late.resolve();
          await page.unroute("**/animals?name=q");
          await desk.settled();
          expect(await option(desk, /Quokka/).count()).toBe(0);
          expect(await groups(desk)).toEqual(["Animals"]);
          // What is found later does not take the place of what was chosen.
          await field(desk).fill("o");
          await option(desk, "Overview").waitFor();
          const chosen = await active(desk);
          await desk.settled();
          expect(await active(desk)).toBe(chosen);
          await page.keyboard.press("Control+k");
          await desk.closed();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "chooses the first that is found if Enter is pressed before the answer",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const answer = Promise.withResolvers<void>();
          await page.route("**/animals?name=zora", async (route) => {
            await answer.promise;
            await route.continue();
          });
          await desk.ask("zora");
          await desk.sees("Searching…");
          await page.keyboard.press("Enter");
          answer.resolve();
          await desk.title("Zora").waitFor();
          await page.unroute("**/animals?name=zora");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "moves through rows and cards, opens one, goes to the search and from it to the rows",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.follow("/orders?view=list");
          await desk.row("Quokka 12").waitFor();
          await page.keyboard.press("j");
          expect(await current(desk)).toBe(String(ORDERS));
          await page.keyboard.press("j");
          await page.keyboard.press("j");
          await page.keyboard.press("k");
          expect(await current(desk)).toBe(String(ORDERS - 1));
          await page.keyboard.press("Enter");
          await desk.title(`Order ${ORDERS - 1}`).waitFor();
          // Nothing to search on this page: everything.
          await page.keyboard.press("/");
          await desk.expectFocus(field(desk));
          await page.keyboard.press("Escape");
          await desk.closed();
          await desk.follow("/orders");
          await desk
            .button(/^Approve order/)
            .nth(ORDERS - 1)
            .waitFor();
          // No card has the focus, so none is approved: the first one gets it.
          await page.keyboard.press("a");
          expect(await current(desk)).toBe(String(ORDERS));
          expect(await desk.button(/^Undo order/).count()).toBe(0);
          await page.keyboard.press("/");
          await desk.expectFocus(page.getByRole("searchbox"));
          await page.keyboard.type("Quokka 1");
          await desk.row("Quokka 11").waitFor();
          await desk.row("Quokka 2").waitFor({ state: "detached" });
          await page.keyboard.press("ArrowDown");
          await desk.expectFocus(desk.row("Quokka 12").getByRole("link"));
        }),
      BROWSER_TEST_MS,
    );

    test(
      "types letters where one types, leaves those with a modifier alone, and can be switched off for good",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.follow("/animals");
          await desk.row("Zora").waitFor();
          await page.keyboard.press("/");
          await page.keyboard.type("jk/?au");
          await page.waitForURL(/name=jk/);
          expect(await page.getByRole("searchbox").inputValue()).toBe("jk/?au");
          expect(await page.getByRole("dialog").count()).toBe(0);
          await page.getByRole("combobox", { name: "Status" }).focus();
          await page.keyboard.press("?");
          expect(await page.getByRole("dialog").count()).toBe(0);
          await desk.follow("/animals");
          await desk.row("Zora").waitFor();
          await desk.title("Animals").focus();
          for (const keys of ["Alt+j", "Control+j", "Meta+j"]) await page.keyboard.press(keys);
          await desk.expectFocus(desk.title("Animals"));

          await page.keyboard.press("?");
          const shortcuts = desk.dialog("Keyboard shortcuts");
          await shortcuts.waitFor();
          await page.keyboard.press("j");
          await shortcuts.getByRole("checkbox", { name: /^Shortcuts of a single key/ }).press("Space");
          await page.keyboard.press("Escape");
          await desk.closed();
          for (const round of ["now", "after a reload"]) {
            for (const key of ["j", "?", "/"]) await page.keyboard.press(key);
            expect([round, await page.getByRole("dialog").count()]).toEqual([round, 0]);
            expect([round, await current(desk)]).toEqual([round, ""]);
            expect(await page.locator("[aria-keyshortcuts=a]").count()).toBe(0);
            await page.reload();
            await desk.row("Zora").waitFor();
          }
          // The palette needs Control, so it is not one of them, and leads back to the switch.
          await desk.ask("shortcuts");
          await page.keyboard.press("Enter");
          await shortcuts.getByRole("checkbox").press("Space");
          await page.keyboard.press("Escape");
          await desk.closed();
          await page.keyboard.press("j");
          await desk.expectFocus(desk.row("Zora").getByRole("link"));
        }),
      BROWSER_TEST_MS,
    );

    test(
      "works where the browser forbids to remember anything",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await desk.context.addInitScript(`Object.defineProperty(window, "localStorage", {
              get() { throw new DOMException("denied", "SecurityError"); },
            })`);
            await desk.visit("/animals");
            await desk.row("Zora").waitFor();
            await page.keyboard.press("?");
            await desk.dialog("Keyboard shortcuts").getByRole("checkbox").press("Space");
            await page.keyboard.press("Escape");
            await desk.closed();
            await page.keyboard.press("?");
            expect(await page.getByRole("dialog").count()).toBe(0);
          },
          // A context of its own, since no other test could have it.
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "has a button for those without a keyboard, and dialogs in which axe finds nothing and nothing is cut off",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.follow("/orders");
          await desk
            .button(/^Approve order/)
            .first()
            .waitFor();
          await desk.button(/^Find anything/).click();
          await desk.expectFocus(field(desk));
          await desk.expectUsable("the palette");
          await desk.expectUnclipped("the palette");
          await page.keyboard.type("quokka");
          await option(desk, "All orders that match").waitFor();
          await desk.expectUsable("the palette with what it found", "all widths");
          await field(desk).fill("W".repeat(100));
          await desk.sees(/^Nothing was found for/);
          await desk.expectUsable("the palette that found nothing");
          await desk.expectUnclipped("the palette that found nothing");
          await desk.button("Close").click();
          await desk.closed();
          await desk.expectFocus(desk.button(/^Find anything/));
          await page.keyboard.press("?");
          await desk.dialog("Keyboard shortcuts").waitFor();
          await desk.expectUsable("the shortcuts", "all widths");
          await desk.expectUnclipped("the shortcuts");
          await page.keyboard.press("Escape");
          await desk.closed();
          // A card whose link has the focus, and all entries beside the button.
          await page.keyboard.press("j");
          await desk.expectUsable("the board");
          await desk.expectUnclipped("the board");
          await page.setViewportSize({ width: 320, height: 700 });
          expect(
            await page.evaluate<boolean>(`(() => {
              const entries = document.querySelector("nav[aria-label=Console]");
              return entries.scrollWidth <= entries.clientWidth;
            })()`),
          ).toBe(true);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "says when something could not be searched, and shows what could",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          desk.expects(/^503 GET \/console\/api\/orders/);
          await page.route("**/api/orders?*", (route) =>
            route.fulfill({ status: 503, json: { code: "unavailable", message: "The store does not answer." } }),
          );
          await desk.ask("zora");
          await option(desk, /^Zora/).waitFor();
          await desk.sees("The store does not answer.");
          await page.unroute("**/api/orders?*");
        }),
      BROWSER_TEST_MS,
    );
  });
});
