import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/base/time/clock.ts";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { NAME_INDEX_STATEMENTS } from "../../harness/rows/name-index.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

// Lists that are sorted and searched, in a real browser, against the executable.

const withDesk = openBrowser();

const KEYS = ["Kiosk", "Aviary", "Zoo"];
const ANIMALS = ["Rex", "anna", "Zoë", "Milo"];

interface Filled {
  /** By name. */
  readonly keys: ReadonlyMap<string, string>;
  readonly secret: string;
}

/** Issues keys, the first of which was refused most, and adds animals and an order for each of them. */
async function fill(fleet: Fleet): Promise<Filled> {
  const { secret } = await fleet.issueBoundlessKey("Storefront");
  const keys = new Map<string, string>();
  for (const name of KEYS) keys.set(name, (await fleet.issueKey(name, "--plan", "pro")).id);
  for (const name of ANIMALS) {
    const { body } = await fleet.call("POST /pets", { secret, body: { name, categoryId: 7, status: "available" } });
    await fleet.call("POST /store/orders", { secret, body: { petId: body.id } });
  }
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  for (const [name, refused] of [
    ["Kiosk", 40],
    ["Zoo", 7],
  ] as const)
    await fleet.query(`INSERT INTO key_usage_hours (started_at, key_id, minute_quota)
      VALUES (${hour}, '${keys.get(name)}', ${refused}) RETURNING key_id`);
  return { keys, secret };
}

/** The first words of the rows of the list, in their order. */
async function rows({ page }: Desk): Promise<string[]> {
  const texts = await page.locator("tbody tr .row-link").allInnerTexts();
  return texts.map((text) => text.split("\n")[0]?.trim() ?? "");
}

/** Waits until the list begins with these rows. */
async function shows({ page }: Desk, first: readonly string[]): Promise<void> {
  const links = page.locator("tbody tr .row-link");
  for (const [i, text] of first.entries())
    await links
      .nth(i)
      .filter({ hasText: new RegExp(`^${text}`) })
      .waitFor();
}

const head = ({ page }: Desk, name: string) => page.getByRole("columnheader", { name, exact: true });
const sortBy = (desk: Desk, name: string): Promise<void> => head(desk, name).getByRole("link").click();
const direction = (desk: Desk, name: string): Promise<string | null> => head(desk, name).getAttribute("aria-sort");
const inAddress = ({ page }: Desk): string => new URL(page.url()).search;

describe.skipIf(!CHROMIUM)("a list in the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
      await fill(fleet);
    }, BROWSER_TEST_MS);

    test(
      "of keys is sorted by the heads of its columns, which the address keeps, and Back takes back",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Keys");
          await shows(desk, ["Zoo", "Aviary", "Kiosk", "Storefront"]);
          expect(await direction(desk, "Name")).toBe("none");
          await sortBy(desk, "Name");
          await shows(desk, ["Aviary", "Kiosk"]);
          await desk.told("Sorted by: Name, A to Z.");
          expect([inAddress(desk), await direction(desk, "Name")]).toEqual(["?sort=name", "ascending"]);
          await desk.expectFocus(head(desk, "Name").getByRole("link"));
          await page.keyboard.press("Enter");
          await shows(desk, ["Zoo", "Storefront"]);
          expect([inAddress(desk), await direction(desk, "Name")]).toEqual(["?sort=-name", "descending"]);
          await page.reload();
          await shows(desk, ["Zoo", "Storefront"]);
          await page.goBack();
          await shows(desk, ["Aviary", "Kiosk"]);
          await sortBy(desk, "Name");
          await shows(desk, ["Zoo", "Storefront"]);
          await sortBy(desk, "Name");
          await shows(desk, ["Zoo", "Aviary"]);
          expect(inAddress(desk)).toBe("");
          for (const column of ["Plan", "State", "Today", "Last used"]) {
            await sortBy(desk, column);
            await desk.settled();
            expect(await direction(desk, column)).toMatch(/^(a|de)scending$/);
          }
          expect(await head(desk, "Access").getByRole("link").count()).toBe(0);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of keys is sorted by refused requests from the palette, and shows them at every width",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Keys");
          await shows(desk, ["Zoo"]);
          await desk.choose("most refused", "Sort by: Most refused in 24 hours");
          await shows(desk, ["Kiosk", "Zoo", "Aviary"]);
          expect(inAddress(desk)).toBe("?sort=-refused");
          await desk.row("Kiosk").getByRole("cell", { name: "40", exact: true }).waitFor();
          await desk.expectUsable("keys, most refused first");
          await desk.expectUnclipped("keys, most refused first");
          await page.setViewportSize({ width: 360, height: 800 });
          await desk.row("Kiosk").getByText("40 refused").waitFor();
          await page.getByRole("combobox", { name: "Sort by" }).selectOption({ label: "Name, A to Z" });
          await shows(desk, ["Aviary"]);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of keys has the requests of 24 hours as bars on a large screen, and its link in the navigation a picture",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await page.setViewportSize({ width: 1920, height: 1000 });
          await desk.go("Keys");
          const bars = (name: string) => desk.row(name).locator("svg.sparkline path");
          // All of the last hour were refused: one bar from the bottom to the top. The hour may be over by now.
          const refused = bars("Kiosk").nth(2);
          await refused.waitFor();
          expect(await refused.getAttribute("d")).toMatch(/^M(72|69) 18h2V0h-2z$/);
          for (const other of [0, 1, 3]) expect(await bars("Kiosk").nth(other).getAttribute("d")).toBe("");
          const colours = await page.evaluate<string[]>(
            '[...document.querySelectorAll("tr:has(td) svg.sparkline")][0].querySelectorAll("path").values().map((path) => getComputedStyle(path).fill).toArray()',
          );
          expect(new Set(colours).size).toBe(4);
          for (const bar of await bars("Aviary").all()) expect(await bar.getAttribute("d")).toBe("");
          expect(await page.locator("nav a svg.icon").count()).toBe(await page.locator("nav a").count());
          await page.setViewportSize({ width: 1000, height: 1000 });
          await refused.waitFor({ state: "hidden" });
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of animals is sorted by id and by name, and only by id within a category",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Animals");
          await shows(desk, ANIMALS.toReversed());
          expect(await direction(desk, "Id")).toBe("descending");
          await sortBy(desk, "Id");
          await shows(desk, ANIMALS);
          await desk.sees("4 animals, oldest first.");
          await sortBy(desk, "Name");
          await shows(desk, ["anna", "Milo", "Rex", "Zoë"]);
          await sortBy(desk, "Name");
          await shows(desk, ["Zoë", "Rex", "Milo", "anna"]);
          await desk.expectUnclipped("animals by name");
          await page.getByRole("searchbox").fill("r");
          await shows(desk, ["Rex"]);
          expect(inAddress(desk)).toBe("?sort=-name&name=r");
          expect(await head(desk, "Id").getByRole("link").count()).toBe(0);
          await page.getByRole("searchbox").fill("");
          await shows(desk, ["Zoë"]);
          await page.getByRole("combobox", { name: "Category" }).fill("7");
          await page.keyboard.press("Enter");
          await shows(desk, ANIMALS.toReversed());
          expect(inAddress(desk)).toBe("?categoryId=7");
          expect(await head(desk, "Name").getByRole("link").count()).toBe(0);
          desk.expects(/^400 GET \/console\/api\/animals\?/);
          await desk.visit("/animals?sort=name&categoryId=7");
          await desk.sees("Clear the category and the id, or sort by id.");
          await page.getByRole("link", { name: "Start over" }).click();
          await shows(desk, ANIMALS.toReversed());
        }),
      BROWSER_TEST_MS,
    );

    test(
      "that cannot be asked for so says why, and asks again only when something else is wanted",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const asked: string[] = [];
            page.on(
              "request",
              (request) => void (request.url().includes("/api/animals?") && asked.push(request.url())),
            );
            desk.expects(/^400 GET \/console\/api\/animals\?/);
            await desk.visit("/animals?name=rex&sort=id");
            await desk.sees("Clear the name, or sort by name.");
            const before = asked.length;
            await desk.later();
            await desk.later();
            expect(asked).toHaveLength(before);
            await page.getByRole("searchbox").fill("zo");
            await shows(desk, ["Zoë"]);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "of animals is searched where names begin, and inside them, which ends with another filter",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const search = page.getByRole("searchbox");
          const inside = page.getByRole("link", { name: "Search inside names" });
          await desk.go("Animals");
          await shows(desk, ANIMALS.toReversed());
          if (fleet.origins.length > 1) {
            await search.fill("ilo");
            await desk.sees("This service cannot search inside them.");
            for (const statement of NAME_INDEX_STATEMENTS) await fleet.query(statement);
          }
          await search.fill("il");
          await desk.sees("Searching the beginnings of names. Type at least 3 characters to search inside them.");
          await search.fill("ilo");
          await desk.heading("No matching animals").waitFor();
          await inside.click();
          await shows(desk, ["Milo"]);
          await desk.sees("1 of 4 animals, newest first.");
          expect(inAddress(desk)).toBe("?name=ilo&inside=true");
          await desk.expectUsable("a search inside names");
          await desk.expectUnclipped("a search inside names");
          await search.fill("NNA");
          await shows(desk, ["anna"]);
          await desk.button("Export").click();
          await desk.dialog("Export").getByText("animals whose name contains “NNA”").waitFor();
          await page.keyboard.press("Escape");
          await page.getByRole("combobox", { name: "Status" }).selectOption("Pending");
          await desk.heading("No matching animals").waitFor();
          await desk.sees("Searching the beginnings of names.");
          await desk.choose("inside", "Search inside names");
          await shows(desk, ["anna"]);
          await desk.choose("beginnings", "Search only the beginnings of names");
          await desk.heading("No matching animals").waitFor();
          expect(inAddress(desk)).toBe("?name=NNA");
          await page.goBack();
          await shows(desk, ["anna"]);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of orders is sorted by id in either direction, also what a search finds",
      () =>
        withDesk(fleet, async (desk) => {
          await desk.visit("/orders?view=list");
          await desk.row("Milo").waitFor();
          const newestFirst = await rows(desk);
          await sortBy(desk, "Order");
          await shows(desk, newestFirst.toReversed());
          await desk.sees("Oldest first. Orders are placed through the API.");
          await desk.page.getByRole("searchbox").fill("rex");
          await desk.row("Milo").waitFor({ state: "detached" });
          expect(inAddress(desk)).toBe("?view=list&sort=id&search=rex");
          expect(await rows(desk)).toHaveLength(1);
        }),
      BROWSER_TEST_MS,
    );
  });
});
