import { describe, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../harness/desk.ts";
import { Fleet } from "../harness/fleet.ts";
import { expectNoElementOfName, fillWithHostileNames, HOSTILE_NAMES } from "../harness/hostile-names.ts";
import { sqlite } from "../harness/stores.ts";

// What holds in every dialog: axe finds nothing, light and dark, it fits on a phone, and the focus returns.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the dialogs of the console", () => {
  let fleet: Fleet;
  let ids: Awaited<ReturnType<typeof fillWithHostileNames>>;
  setUp(async () => {
    fleet = await Fleet.start(sqlite);
    ids = await fillWithHostileNames(fleet);
  }, BROWSER_TEST_MS);

  test(
    "have nothing that axe finds, fit on a phone, make no element of a name, and give the focus back",
    () =>
      withDesk(fleet, async (desk) => {
        const dialogs: readonly (readonly [path: string, button: string])[] = [
          ["/keys", "Issue a key"],
          [`/keys/${ids.key}`, "Edit"],
          [`/keys/${ids.key}`, "Rotate"],
          [`/keys/${ids.key}`, "Revoke…"],
          ["/animals", "Add an animal"],
          ["/animals", "Export"],
          [`/animals/${ids.animal}`, "Correct"],
          [`/animals/${ids.animal}`, "Rename this category"],
          [`/animals/${ids.animal}`, "Remove…"],
          ["/animals/categories", "Name a category"],
          ["/orders", `Cancel… order ${ids.order}`],
          ["/orders", "sign out"],
        ];
        let shown = "";
        for (const [path, button] of dialogs) {
          if (path !== shown) await desk.follow(path);
          shown = path;
          await desk.button(button).click();
          await desk.page.getByRole("dialog").waitFor();
          await desk.expectUsable(`${path} ${button}`);
          await expectNoElementOfName(desk);
          await desk.page.keyboard.press("Escape");
          await desk.page.getByRole("dialog").waitFor({ state: "detached" });
          await desk.expectFocus(desk.button(button));
        }
        // What was just issued is in a dialog that only its own button closes.
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
});
