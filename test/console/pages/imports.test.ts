import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// Imports and exports, in a real browser, against the executable.

const withDesk = openBrowser();

const HEADER = "name,categoryId,status";
/** Enough that the import is still running when the test looks. */
const MANY = 12_000;
const lines = (count: number, of: (i: number) => string): string =>
  [HEADER, ...Array.from({ length: count }, (_, i) => of(i)), ""].join("\n");

/** Drops a file onto the page, as from the desktop. */
const drop = ({ page }: Desk, name: string, content: string): Promise<void> =>
  page.evaluate<void>(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    for (const type of ["dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  })()`);

/** Clicks a link, and returns the downloaded file. */
async function downloaded({ page }: Desk, link: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: link }).click()]);
  const path = join(temporaryFolder(), "download");
  await download.saveAs(path);
  return readFileSync(path, "utf8");
}

const animalLinks = ({ page }: Desk): Locator =>
  page.getByRole("table", { name: "Animals" }).getByRole("cell").getByRole("link");

const namesIn = async (desk: Desk): Promise<string[]> =>
  (await animalLinks(desk).allInnerTexts()).map((name) => name.trim());

describe.skipIf(!CHROMIUM)("animals in the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
    }, BROWSER_TEST_MS);

    test(
      "come from a file: tried first, invalid lines shown, then added; filtered, page by page, and exported as stored",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const statuses = ["available", "pending", "sold"];
          const valid = lines(
            120,
            (i) => `Imported ${String(i).padStart(3, "0")},${i % 2 ? 11 : 12},${statuses[i % 3]}`,
          );
          const mixed = `${valid}Nobody,,available\n<b>Bold</b>,7,gone\n`;
          await desk.follow("/animals/import");
          await page.getByLabel("File to import").setInputFiles({
            name: "stock.csv",
            mimeType: "text/csv",
            buffer: Buffer.from(mixed),
          });
          await desk.sees("120 animals would be added; 2 lines are invalid.");
          const rejected = page.getByRole("table", { name: "Invalid lines" });
          expect(await rejected.getByRole("row").nth(1).innerText()).toContain("122");
          expect(await rejected.getByRole("row").nth(2).innerText()).toContain("<b>Bold</b>,7,gone");
          const report = await downloaded(desk, "Download the report");
          expect(report).toContain(await rejected.getByRole("row").nth(1).getByRole("cell").nth(1).innerText());
          expect(report).toMatch(/122[\s\S]*categoryId[\s\S]*123[\s\S]*status/);
          expect(await fleet.query("SELECT 1 FROM animals")).toEqual([]);
          const begin = desk.button("Import 120 animals");
          expect(await begin.isDisabled()).toBe(true);
          await page.getByRole("checkbox", { name: "Leave out invalid lines" }).check();
          await begin.click();
          await desk.sees("120 animals were added; 2 invalid lines were left out.");
          await desk.row("stock.csv").filter({ hasText: "Finished" }).waitFor();

          await page.getByRole("link", { name: "See the animals" }).click();
          await desk.title("Animals").waitFor();
          await page.getByRole("searchbox").fill("imported");
          // The newest come first until the search is answered.
          await desk.row("Imported 000").waitFor();
          await page.getByText(/^More than 50 of (about )?\d+ animals, by name\.$/).waitFor();
          const first = await namesIn(desk);
          expect(first).toHaveLength(50);
          await page.getByRole("link", { name: "Next" }).click();
          await desk.row("Imported 069").waitFor();
          await page.getByText(/^Some of (about )?\d+ animals, by name\.$/).waitFor();
          await page.getByRole("link", { name: "Next" }).click();
          await desk.sees("Last page.");
          expect(await namesIn(desk)).toHaveLength(20);
          await page.getByRole("link", { name: "Previous" }).click();
          await desk.row("Imported 069").waitFor();
          await page.goBack();
          await desk.sees("Last page.");
          await page.getByRole("link", { name: "First page" }).click();
          await desk.row("Imported 000").waitFor();
          expect(await namesIn(desk)).toEqual(first);

          await desk.follow("/animals/categories");
          await desk.button("Name a category").click();
          await desk.dialog("Name a category").getByLabel("Number").fill("11");
          await desk.dialog("Name a category").getByLabel("Name").fill("Parrots");
          await desk.button("Save").click();
          await desk.row("Parrots").waitFor();
          await desk.follow("/animals");
          await page.getByRole("combobox", { name: "Category" }).fill("parr");
          await page.getByRole("option", { name: "Parrots 11" }).click();
          await page.getByRole("combobox", { name: "Status" }).selectOption("Sold");
          await desk.row("Imported 119").waitFor();
          // The list of the category alone is longer.
          await animalLinks(desk).nth(20).waitFor({ state: "detached" });
          expect(new URL(page.url()).search).toBe("?categoryId=11&status=sold");
          expect(await namesIn(desk)).toHaveLength(20);
          await page.reload();
          await desk.row("Imported 119").waitFor();
          expect(await namesIn(desk)).toHaveLength(20);
          expect(await page.getByRole("combobox", { name: "Category" }).inputValue()).toBe("Parrots");

          await desk.button("Export").click();
          await desk.sees("sold animals of Parrots");
          const csv = await downloaded(desk, "Download CSV");
          const stored = (await fleet.query(
            "SELECT id, name FROM animals WHERE category_id = 11 AND status = 'sold' ORDER BY id",
          )) as { id: unknown; name: string }[];
          expect(csv.trim().split("\n")).toEqual([
            "id,name,categoryId,status",
            ...stored.map(({ id, name }) => `${id},${name},11,sold`),
          ]);

          await desk.button("Export").click();
          const ndjson = await downloaded(desk, "Download NDJSON");
          expect(
            ndjson
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line)),
          ).toEqual(stored.map(({ id, name }) => ({ id: Number(id), name, categoryId: 11, status: "sold" })));

          const [{ id } = { id: undefined }] = stored;
          await page.getByRole("combobox", { name: "Category" }).fill("");
          await page.getByRole("searchbox").fill("Nobody is called this");
          await page.getByText(/^0 of (about )?\d+ animals, by name\.$/).waitFor();
          await page.getByRole("searchbox").fill(String(id));
          await desk.sees("Searching by id.");
          await desk.row(stored[0]?.name as string).waitFor();
          expect(await namesIn(desk)).toEqual([stored[0]?.name as string]);
        }),
      BROWSER_TEST_MS,
    );

    // Both stores do the rest without a browser, in test/console/imports.test.ts.
    if (backend !== sqlite) return;

    test(
      "come from a spreadsheet with columns of its own, which are chosen on the page, and are undone by the toast",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { secret } = await fleet.issueKey("Sheets", "--plan", "pro");
          await fleet.call("PUT /categories/77", { secret, body: { name: "Canaries" } });
          await desk.follow("/animals/import");
          const sheet = "Nr.;Animal;Category ID;Notes\n1;Tweety;canaries;yellow\n2;Hansi;77;\n";
          await drop(desk, "birds.csv", sheet);
          await desk.sees("choose the columns to read below, and the others are left out");
          await desk.heading("birds.csv").waitFor();
          const field = (label: string) => page.getByRole("combobox", { name: label });
          const shown = async (label: string) => field(label).locator("option:checked").innerText();
          expect([await shown("Name"), await shown("Category"), await shown("Status")]).toEqual([
            "Choose a column",
            "Category ID",
            "None: all are available",
          ]);
          const repeat = desk.button("Repeat the dry run");
          expect(await repeat.isDisabled()).toBe(true);
          await desk.expectUsable("the columns of a file");
          await desk.expectUnclipped("the columns of a file");
          await field("Name").selectOption("Nr.");
          await repeat.click();
          await desk.sees("2 animals would be added, and all lines are valid.");
          await field("Name").selectOption("Animal");
          await repeat.click();
          await desk.button("Import 2 animals").waitFor();
          await desk.button("Import 2 animals").click();
          await desk.told("“birds.csv” was imported.");
          const inCategory = "SELECT name FROM animals WHERE category_id = 77 ORDER BY id";
          expect(await fleet.query(inCategory)).toEqual([{ name: "Tweety" }, { name: "Hansi" }]);
          await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
          await desk.sees("2 animals were deleted.");
          await desk.row("birds.csv").filter({ hasText: "Undone" }).waitFor();
          expect(await fleet.query(inCategory)).toEqual([]);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "are sent and added under the eyes of whoever waits: bars show how far it is, and those who leave find it again",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            await desk.follow("/animals/import");
            await desk.heading("Import").waitFor();
            // The upload is held back until the progress bar has been seen.
            let arrive = (): void => {};
            const seen = new Promise<void>((resolve) => {
              arrive = resolve;
            });
            await page.route("**/console/api/imports?*", async (route) => {
              await seen;
              await route.continue();
            });
            await drop(
              desk,
              "many.csv",
              lines(MANY, (i) => `Many ${i},21,available`),
            );
            await page.getByRole("progressbar", { name: "Uploading many.csv" }).waitFor();
            arrive();
            await desk.seesLater(desk.button(`Import ${MANY.toLocaleString("en")} animals`));
            await page.unroute("**/console/api/imports?*");
            /** All values that progress bars have shown, from 0 to 1; -1 if indeterminate. */
            await page.evaluate<void>(`(() => {
              window.shown = [];
              const look = () => {
                for (const bar of document.querySelectorAll("progress")) shown.push(bar.position);
              };
              new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
            })()`);
            await desk.button(`Import ${MANY.toLocaleString("en")} animals`).click();
            await page.getByRole("progressbar", { name: "Being imported" }).waitFor();
            await desk.go("Animals");
            await desk.title("Animals").waitFor();
            await page.goBack();
            await desk.seesLater(page.getByText(`${MANY.toLocaleString("en")} animals were added.`));
            await page.getByRole("progressbar").waitFor({ state: "detached" });
            const shares = (await page.evaluate<number[]>("shown")).filter((share) => share >= 0);
            expect(shares).toEqual(shares.toSorted((a, b) => a - b));
            expect(await fleet.query("SELECT count(*) AS n FROM animals WHERE category_id = 21")).toEqual([
              { n: expect.anything() },
            ]);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "are dropped in as NDJSON on the list, and the import is undone by the name of its file",
      () =>
        withDesk(fleet, async (desk) => {
          const content = Array.from({ length: 3 }, (_, i) => `{"name":"Dropped ${i}","categoryId":9007199254740993}`);
          await desk.follow("/animals");
          await desk.title("Animals").waitFor();
          await drop(desk, "dropped.ndjson", content.join("\n"));
          await desk.heading("Import").waitFor();
          await desk.button("Import 3 animals").click();
          await desk.sees("3 animals were added.");
          const added = "SELECT CAST(category_id AS TEXT) AS category FROM animals WHERE name LIKE 'Dropped%'";
          expect(await fleet.query(added)).toEqual(Array(3).fill({ category: "9007199254740993" }));

          await desk
            .row("dropped.ndjson")
            .getByRole("button", { name: /^Undo…/ })
            .click();
          await desk.dialog("Undo this import?").getByLabel("Type the name").fill("dropped.ndjson");
          await desk.button("Delete its animals").click();
          await desk.sees("3 animals were deleted.");
          expect(await fleet.query(added)).toEqual([]);

          // The same file again is recognised.
          await drop(desk, "dropped.ndjson", content.join("\n"));
          await desk.button("Import 3 animals").waitFor();
          await desk.go("Journal");
          await desk
            .row("Undid the import of dropped.ndjson")
            .filter({ hasText: "deleted 3" })
            .filter({ hasText: "Anna" })
            .waitFor();
          // The import and its undoing have a row each, and two entries.
          await desk.row("Imported dropped.ndjson").filter({ hasText: "animals added 3" }).waitFor();
          expect(await desk.row("dropped.ndjson").count()).toBe(2);
        }),
      BROWSER_TEST_MS,
    );
  });
});
