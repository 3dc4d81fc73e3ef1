import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import {
  expectNoElementOfName,
  fillWithHostileNames,
  HOSTILE_NAMES,
  KEY_NAMES,
} from "../../harness/browser/hostile-names.ts";
import { setUp } from "../../harness/cleanup.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { sqlite } from "../../harness/service/stores.ts";

// On every page and in every dialog, axe finds nothing, light and dark, and nothing is cut off at any width.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the pages of the console", () => {
  let fleet: Fleet;
  let ids: Awaited<ReturnType<typeof fillWithHostileNames>>;
  setUp(async () => {
    fleet = await Fleet.start(sqlite);
    ids = await fillWithHostileNames(fleet);
  }, BROWSER_TEST_MS);

  test(
    "have nothing that axe finds, light and dark, cut nothing off at any width, and make no element of a name",
    () =>
      withDesk(fleet, async (desk) => {
        desk.expects(/^404 GET \/console\/api\/animals\/999$/);
        const pages = [
          ["", "Overview"],
          ["/keys", "Keys"],
          [`/keys/${ids.key}`, KEY_NAMES.at(-1) as string],
          ["/animals", "Animals"],
          [`/animals/${ids.animal}`, HOSTILE_NAMES.at(-1) as string],
          ["/animals/categories", "Categories"],
          ["/animals/import", "Import"],
          ["/orders", "Orders"],
          ["/orders?view=list", "Orders"],
          ["/orders?view=list&search=nobody%27s", "Orders"],
          [`/orders/${ids.order}`, `Order ${ids.order}`],
          ["/keys?state=not_revoked", "Keys"],
          ["/journal", "Journal"],
          ["/keys?search=nobody", "Keys"],
          ["/journal?key=nobody", "Journal"],
          ["/animals/999", "Animal"],
          ["/nowhere", "Not found"],
        ] as const;
        for (const [path, heading] of pages) {
          await desk.follow(path);
          await desk.title(heading).waitFor();
          await desk.settled();
          await desk.expectUsable(`/console${path}`);
          await desk.expectUnclipped(`/console${path}`);
          await expectNoElementOfName(desk);
        }
      }),
    BROWSER_TEST_MS,
  );

  test(
    "are light or dark as the viewer's system is, and a page without a session is as usable as all others",
    () =>
      withDesk(
        fleet,
        async (desk) => {
          desk.expects(/^401 GET \/console\/api\/session$/);
          await desk.visit("");
          await desk.heading("Sign in").waitFor();
          await desk.expectUsable("sign-in");
          /** The lightness of the background, from 0 (black) to 1 (white). */
          const lightness = (): Promise<number> =>
            desk.page.evaluate<number>(`(() => {
              const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/[0-9.]+/g);
              return (Number(r) + Number(g) + Number(b)) / 3 / 255;
            })()`);
          expect(await lightness()).toBeGreaterThan(0.9);
          await desk.page.emulateMedia({ colorScheme: "dark" });
          expect(await lightness()).toBeLessThan(0.2);
        },
        { name: null },
      ),
    BROWSER_TEST_MS,
  );

  test(
    "have dialogs that have nothing that axe finds, cut nothing off, make no element of a name, and give the focus back",
    () =>
      withDesk(fleet, async (desk) => {
        const dialogs: readonly (readonly [path: string, button: string])[] = [
          ["/keys", "Issue a key"],
          [`/keys/${ids.key}`, "Edit"],
          [`/keys/${ids.key}`, "Rotate"],
          [`/keys/${ids.key}`, "Revoke…"],
          ["/animals", "Add an animal"],
          ["/animals", "Export"],
          [`/animals/${ids.animal}`, "Edit"],
          [`/animals/${ids.animal}`, "Rename this category"],
          [`/animals/${ids.animal}`, "Delete…"],
          ["/animals/categories", "Name a category"],
          ["/orders", `Cancel… order ${ids.order}`],
          [`/orders/${ids.order}`, `Cancel… order ${ids.order}`],
          ["/orders", "sign out"],
        ];
        let shown = "";
        const leaves = /^(Cancel|Close|Leave it as it is|Stay)$/;
        for (const [i, [path, button]] of dialogs.entries()) {
          if (path !== shown) await desk.follow(path);
          shown = path;
          await desk.button(button).click();
          await desk.page.getByRole("dialog").waitFor();
          await desk.expectUsable(`${path} ${button}`);
          await desk.expectUnclipped(`${path} ${button}`);
          await expectNoElementOfName(desk);
          // Alternates between Escape, which the browser handles, and the dialog's own button.
          if (i % 2 === 0) await desk.page.keyboard.press("Escape");
          else await desk.button(leaves, desk.page.getByRole("dialog")).click();
          await desk.closed();
          await desk.expectFocus(desk.button(button));
        }
        // A new secret is in a dialog that only its own button closes.
        await desk.follow("/keys");
        await desk.button("Issue a key").click();
        await desk
          .dialog("Issue a key")
          .getByLabel("Name")
          .fill(HOSTILE_NAMES[0] as string);
        await desk.button("Issue", desk.dialog("Issue a key")).click();
        await desk.dialog(/^The secret of/).waitFor();
        await desk.expectUsable("the secret");
        await expectNoElementOfName(desk);
      }),
    BROWSER_TEST_MS,
  );

  /** A name as text, isolated in its direction. */
  const nameIn = ({ page }: Desk, name: string) =>
    page
      .locator("bdi, [dir=auto]")
      .getByText(name, { exact: true })
      .or(page.locator("bdi", { hasText: name }));

  test(
    "show hostile names as the text that they are: of keys, animals, categories, orders, files and people",
    () =>
      withDesk(
        fleet,
        async (desk) => {
          for (const [path, names] of [
            ["/keys", KEY_NAMES],
            ["/journal", KEY_NAMES],
            ["/animals", HOSTILE_NAMES],
            ["/animals/categories", HOSTILE_NAMES.map((name, i) => `${name.slice(0, 250)} ${i}`)],
            ["/orders?view=list", HOSTILE_NAMES],
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
          for (const name of HOSTILE_NAMES) {
            await desk.page.keyboard.press("Control+k");
            const field = desk.page.getByRole("combobox", { name: "Find anything" });
            await field.fill(name.slice(0, 20));
            await desk.page.getByRole("option").getByText(name, { exact: true }).first().waitFor();
            await expectNoElementOfName(desk);
            await desk.expectUsable(`the palette with ${name}`);
            await desk.page.keyboard.press("Escape");
            await desk.closed();
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
});
