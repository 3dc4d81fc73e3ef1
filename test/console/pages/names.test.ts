import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import {
  expectNoElementOfName,
  fillWithHostileNames,
  HOSTILE_NAMES,
  KEY_NAMES,
} from "../../harness/browser/hostile-names.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

// The display of names, numbers and times, in a real browser, against the executable.

const withDesk = openBrowser();

/** The largest id, and the first one that a JavaScript number cannot represent. */
const [LARGEST, UNSAFE] = ["9223372036854775807", "9007199254740993"];

describe.skipIf(!CHROMIUM)("the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
      await fillWithHostileNames(fleet);
    }, BROWSER_TEST_MS);

    /** A name as text, isolated in its direction. */
    const nameIn = ({ page }: Desk, name: string) =>
      page
        .locator("bdi, [dir=auto]")
        .getByText(name, { exact: true })
        .or(page.locator("bdi", { hasText: name }));

    test(
      "shows hostile names as the text that they are: of keys, animals, categories, orders, files and people",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            for (const [path, names] of [
              ["/keys", KEY_NAMES],
              ["/journal", KEY_NAMES],
              ["/animals", HOSTILE_NAMES],
              ["/animals/categories", HOSTILE_NAMES.map((name, i) => `${name.slice(0, 250)} ${i}`)],
              ["/orders", [...HOSTILE_NAMES, ...HOSTILE_NAMES.map((name) => name.slice(0, 64))]],
            ] as const) {
              await desk.follow(path);
              for (const name of names) await nameIn(desk, name).filter({ visible: true }).first().waitFor();
              await expectNoElementOfName(desk);
            }
            await desk.follow("/animals/import");
            for (const each of HOSTILE_NAMES) {
              const name = `${each}.ndjson`;
              const buffer = Buffer.from(`${JSON.stringify({ name: each, categoryId: "x" })}\n`);
              await desk.page.getByLabel("File to import").setInputFiles({ name, mimeType: "", buffer });
              await desk.page.getByRole("cell").getByText(JSON.stringify(each)).waitFor();
              await expectNoElementOfName(desk);
            }
            // The signed-in user, and the author in the journal.
            await nameIn(desk, HOSTILE_NAMES[0] as string)
              .first()
              .waitFor();
          },
          { name: HOSTILE_NAMES[0] as string },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "shows large numbers and ids exactly, to the last digit, wherever they go",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Animals");
          for (const [name, category] of [
            ["Largest", LARGEST],
            ["Unsafe", UNSAFE],
          ] as const) {
            await desk.button("Add an animal").click();
            const add = desk.dialog("Add an animal");
            await add.getByLabel("Name").fill(name);
            await add.getByRole("combobox", { name: "Category" }).fill(category);
            await desk.button("Add", add).click();
            await desk.row(name).filter({ hasText: category }).waitFor();
          }
          const stored =
            "SELECT CAST(category_id AS TEXT) AS category FROM animals WHERE name IN ('Largest', 'Unsafe')";
          expect(await fleet.query(`${stored} ORDER BY name`)).toEqual([{ category: LARGEST }, { category: UNSAFE }]);
          await desk.follow(`/animals?categoryId=${LARGEST}`);
          await desk.row("Unsafe").waitFor({ state: "detached" });
          expect(await page.getByRole("row").count()).toBe(2);
          await desk.row("Largest").getByRole("link").click();
          expect((await desk.fact("Category").innerText()).replace(/[\s,]/g, "")).toContain(LARGEST);

          const { id } = await fleet.issueKey(
            "Many",
            ...["--plan", "enterprise", "--per-minute", "123456789", "--per-day", "987654321"],
          );
          await desk.visit(`/keys/${id}`);
          await desk.sees("123,456,789 per minute, 987,654,321 per day");
          await desk.button("Edit").click();
          const edit = desk.dialog("Edit the key");
          expect(await edit.getByLabel("Requests per day").inputValue()).toBe("987654321");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "shows times in the viewer's zone, and in UTC on hover",
      () =>
        withDesk(fleet, async (desk) => {
          const { id } = await fleet.issueKey("Until noon", "--plan", "pro");
          // Noon in Berlin, in winter and in summer.
          for (const [ms, local, utc] of [
            [Date.UTC(2090, 0, 15, 11, 0, 7), "15 Jan 2090, 12:00", "2090-01-15 11:00:07 UTC"],
            [Date.UTC(2090, 6, 15, 10, 0, 7), "15 Jul 2090, 12:00", "2090-07-15 10:00:07 UTC"],
          ] as const) {
            await fleet.query(`UPDATE keys SET expires_at = ${ms} WHERE id = '${id}'`);
            await desk.visit(`/keys/${id}`);
            const time = desk.fact("Expires").getByRole("time");
            await time.waitFor();
            expect(await time.innerText()).toStartWith(local);
            expect(await time.getAttribute("title")).toBe(utc);
            await desk.button("Edit").click();
            const field = desk.dialog("Edit the key").getByLabel("Expires");
            expect(await field.inputValue()).toEndWith("T12:00");
            await desk.page.keyboard.press("Escape");
          }
          for (const [path, heading] of [
            ["/journal", "Journal"],
            ["/keys", "Keys"],
            ["/orders", "Orders"],
          ] as const) {
            await desk.follow(path);
            await desk.heading(heading).waitFor();
            await desk.page.getByRole("time").first().waitFor();
            const [shown, withUtc] = ["time", "time[title$=' UTC']"].map((selector) => desk.page.locator(selector));
            expect(await withUtc?.count()).toBe((await shown?.count()) as number);
          }
        }),
      BROWSER_TEST_MS,
    );
  });
});
