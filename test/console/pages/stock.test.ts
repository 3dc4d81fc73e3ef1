import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../../harness/browser/desk.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// Animals, their categories and their orders, their numbers and times, in a real browser, against the executable.

const withDesk = openBrowser();

/** The largest id, and the first one that a JavaScript number cannot represent. */
const [LARGEST, UNSAFE] = ["9223372036854775807", "9007199254740993"];

/** A column has this many at first. */
const ORDERS_PER_PAGE = 50;

describe.skipIf(!CHROMIUM)("animals and orders in the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
    }, BROWSER_TEST_MS);

    test(
      "are added, updated and removed, their category is named, and the store and the journal agree",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          await desk.go("Animals");
          await desk.heading("No animals yet").waitFor();
          await desk.button("Add an animal").click();
          const add = desk.dialog("Add an animal");
          await add.getByLabel("Name").fill("Rex");
          await add.getByRole("combobox", { name: "Category" }).fill("7");
          await desk.button("Add", add).click();
          await desk.told("Added “Rex”");
          await desk.row("Rex").getByRole("link").click();

          await desk.heading("Rex").waitFor();
          await desk.button("Name this category").click();
          const naming = desk.dialog("Name category 7");
          await naming.getByLabel("Name").fill("Dogs");
          await desk.button("Save", naming).click();
          await desk.told("Category 7 is now called “Dogs”.");
          await desk.button("Rename this category").waitFor();

          await desk.button("Edit", page).click();
          const edit = desk.dialog("Edit the animal");
          await edit.getByLabel("Name").fill("Rexi");
          await edit.getByLabel("Status").selectOption("Sold");
          await desk.button("Save", edit).click();
          await desk.heading("Rexi").waitFor();
          const [rexi] = await fleet.query("SELECT name, category_id, status FROM animals");
          expect(rexi).toMatchObject({ name: "Rexi", status: "sold" });

          await desk.button("Delete…").click();
          const remove = desk.dialog("Delete this animal?");
          expect(await desk.button("Delete permanently", remove).isDisabled()).toBe(true);
          await remove.getByLabel("Type the name to confirm").fill("Rexi");
          await desk.button("Delete permanently", remove).click();
          await desk.told("“Rexi” was deleted.");
          await desk.heading("No animals yet").waitFor();
          expect(await fleet.query("SELECT id FROM animals")).toEqual([]);

          await desk.follow("/animals/categories");
          await desk.button("Remove name Dogs").click();
          await desk.told("Category 7 no longer has a name.");
          await desk.heading("No categories yet").waitFor();
          await desk.button("Undo").click();
          await desk.row("Dogs").waitFor();

          await desk.go("Journal");
          await desk.row("Deleted animal Rexi").waitFor();
          for (const command of ["Added animal Rex", "Updated animal Rex", "Deleted animal Rexi"])
            await desk.row(command).filter({ hasText: "Anna" }).filter({ hasText: "console" }).waitFor();
          await desk.row("Removed the name of category").waitFor();
          expect(await desk.row("Named category").count()).toBe(2);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "are counted for each category, also for those that have no name, which get one there",
      () =>
        withDesk(fleet, async (desk) => {
          const { secret } = await fleet.issueKey("Categories", "--plan", "pro");
          for (const categoryId of [41, 41, 42])
            await fleet.call("POST /pets", { secret, body: { name: "Rex", categoryId, status: "available" } });
          await fleet.call("PUT /categories/43", { secret, body: { name: "Empty cages" } });
          await desk.follow("/animals/categories");
          const counts = async (text: string) => (await desk.row(text).getByRole("cell").allInnerTexts()).slice(0, 3);
          await desk.row("Empty cages").waitFor();
          expect(await counts("41")).toEqual(["No name", "41", "2"]);
          expect(await counts("42")).toEqual(["No name", "42", "1"]);
          expect(await counts("Empty cages")).toEqual(["Empty cages", "43", "0"]);
          await desk.button("Name category 42").click();
          const dialog = desk.dialog("Name category 42");
          await dialog.getByLabel("Name").fill("Goldfish");
          await desk.button("Save", dialog).click();
          await desk.told("Category 42 is now called “Goldfish”.");
          await desk.row("Goldfish").getByRole("link").click();
          await desk.row("Rex").waitFor();
          expect(await desk.row("Rex").count()).toBe(1);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "have large numbers and ids that are exact to the last digit, wherever they are shown",
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
      "are found as orders: by animal, reference and id, on a page with who placed and moved them, and from the journal",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const { id: keyId, secret } = await fleet.issueKey("Web shop", "--plan", "business");
            const add = async (name: string) =>
              (await fleet.call("POST /pets", { secret, body: { name, categoryId: 7 } })).body.id;
            const order = async (body: object) => (await fleet.call("POST /store/orders", { secret, body })).body;
            const wanted = await order({ petId: await add("Waldo"), reference: "INV-2026-0042" });
            const other = await order({ petId: await add("Xena") });
            await fleet.call(`PATCH /store/orders/${wanted.id}`, { secret, body: { status: "approved" } });

            await desk.visit("/orders");
            const search = page.getByRole("searchbox");
            for (const text of ["INV-2026-0042", "wal", String(wanted.id)]) {
              await search.fill(text);
              await page.waitForURL((url) => url.searchParams.get("search") === text);
              await desk.row("Waldo").waitFor();
              await desk.row("Xena").waitFor({ state: "detached" });
            }
            await desk.visit("/orders?search=nobody");
            await desk.heading("No matching orders").waitFor();
            await page.getByRole("link", { name: "Show all orders" }).click();
            await desk.row("Xena").waitFor();
            await desk.row("Waldo").getByRole("link").click();

            await desk.title(`Order ${wanted.id}`).waitFor();
            expect(await desk.fact("Reference").innerText()).toBe("INV-2026-0042");
            expect((await desk.fact("Placed by").innerText()).split(/\s+/)).toEqual(["Web", "shop", keyId]);
            await desk.row("Approved").filter({ hasText: keyId }).waitFor();
            await desk.button(`Deliver… order ${wanted.id}`).click();
            await desk.button("Deliver the order").click();
            await desk.told(`Order ${wanted.id} is now delivered.`);
            await desk.row("Delivered").filter({ hasText: "Anna" }).filter({ hasText: "console" }).waitFor();
            await desk.fact("Placed by").getByRole("link", { name: "Web shop" }).click();
            await desk.title("Web shop").waitFor();

            await desk.follow(`/orders/${other.id}`);
            await desk.button(`Approve order ${other.id}`).click();
            await desk.expectFocus(desk.button(`Undo order ${other.id}`));
            await desk.later();
            await desk.told(`Order ${other.id} is now approved.`);
            await desk.row("Approved").filter({ hasText: "Anna" }).waitFor();

            await desk.go("Journal");
            await page
              .getByRole("link", { name: String(wanted.id), exact: true })
              .first()
              .click();
            await desk.title(`Order ${wanted.id}`).waitFor();
            await desk.fact("Animal").getByRole("link", { name: "Waldo" }).click();
            await desk.title("Waldo").waitFor();
            await page
              .getByRole("row", { name: /Delivered INV-2026-0042/ })
              .getByRole("link")
              .click();
            await desk.title(`Order ${wanted.id}`).waitFor();

            // What release 1.1.0 has placed has no history; and a key may be gone.
            await fleet.query(`UPDATE orders SET placed_by = NULL, moves = NULL WHERE id = ${other.id}`);
            await desk.visit(`/orders/${other.id}`);
            await desk.fact("Placed by").filter({ hasText: "not recorded" }).waitFor();
            await desk.row("Approved").filter({ hasText: "not recorded" }).waitFor();
            await fleet.query(`UPDATE orders SET placed_by = 'key_000000000000' WHERE id = ${other.id}`);
            await desk.visit(`/orders/${other.id}`);
            await desk.fact("Placed by").filter({ hasText: "deleted key" }).waitFor();
            const { body } = await fleet.call(`GET /store/orders/${wanted.id}`, { secret });
            expect(Object.keys(body)).toEqual(["id", "petId", "status", "placedAt", "updatedAt", "reference"]);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    // Both stores do the rest without a browser, in test/console/animals.test.ts.
    if (backend !== sqlite) return;

    test(
      "that somebody else has updated meanwhile are not overwritten",
      () =>
        withDesk(fleet, async (desk) => {
          const { secret } = await fleet.issueBoundlessKey();
          const { body } = await fleet.call("POST /pets", { secret, body: { name: "Max", categoryId: 8 } });
          await desk.follow(`/animals/${body.id}`);
          desk.expects(/^409 PATCH/);
          await desk.button("Edit").click();
          const edit = desk.dialog("Edit the animal");
          await edit.getByLabel("Status").selectOption("Sold");
          await fleet.call(`PATCH /pets/${body.id}`, { secret, body: { name: "Maxi" } });
          await desk.button("Save", edit).click();
          await desk.sees("Someone else has changed this animal in the meantime: name Max → Maxi.");
          await desk.button("Save", edit).click();
          await desk.told("Saved.");
          expect((await fleet.call(`GET /pets/${body.id}`, { secret })).body).toMatchObject({
            name: "Maxi",
            status: "sold",
          });
        }),
      BROWSER_TEST_MS,
    );

    /** Orders an animal of this name. Returns the id of the order. */
    async function order(secret: string, name: string): Promise<string> {
      const { body: pet } = await fleet.call("POST /pets", { secret, body: { name, categoryId: 7 } });
      const { status, body } = await fleet.call("POST /store/orders", { secret, body: { petId: pet.id } });
      expect(status).toBe(201);
      return String(body.id);
    }

    test(
      "are side by side and moved, as orders; a move that is refused says why; the journal has its author",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const { secret } = await fleet.issueBoundlessKey();
            const [first, second] = [await order(secret, "Rex"), await order(secret, "Max")];
            const column = (title: string) => page.getByRole("region", { name: title, exact: true });
            await desk.visit("/orders");
            await desk.button(`Approve order ${first}`, column("Placed")).click();
            await desk.later();
            await desk.told(`Order ${first} is now approved.`);
            await desk.button(`Deliver… order ${first}`, column("Approved")).click();
            await desk.button("Leave it as it is").click();
            await desk.button(`Deliver… order ${first}`, column("Approved")).click();
            await desk.button("Deliver the order", desk.dialog(`Deliver order ${first}?`)).click();
            await column("Delivered")
              .getByRole("listitem", { name: `Order ${first}` })
              .waitFor();
            expect((await fleet.call(`GET /store/orders/${first}`, { secret })).body.status).toBe("delivered");

            const third = await order(secret, "Mia");
            await page.reload();
            await desk.button(`Cancel… order ${third}`, column("Placed")).click();
            await desk.button("Cancel the order", desk.dialog(`Cancel order ${third}?`)).click();
            await column("Cancelled")
              .getByRole("listitem", { name: `Order ${third}` })
              .waitFor();
            expect((await fleet.call(`GET /store/orders/${third}`, { secret })).body.status).toBe("cancelled");

            // Someone else moves the order first, and the page does not know it yet.
            await desk.settled();
            await page.route("**/console/api/orders?*", () => {});
            await fleet.call(`PATCH /store/orders/${second}`, { secret, body: { status: "cancelled" } });
            desk.expects(/^409 PATCH \/console\/api\/orders/);
            await desk.button(`Approve order ${second}`, column("Placed")).click();
            // Polls are not answered, so nothing settles.
            await page.clock.fastForward(5_000);
            await desk.told(new RegExp(`^Order ${second}: .*cancelled`));
            await page.unroute("**/console/api/orders?*");
            await page.reload();
            await column("Cancelled")
              .getByRole("listitem", { name: `Order ${second}` })
              .waitFor();

            await desk.go("Journal");
            await desk
              .row(`Updated order ${first}`)
              .filter({ hasText: "delivered" })
              .filter({ hasText: "Anna" })
              .waitFor();
            expect(await desk.row(`Updated order ${second}`).count()).toBe(0);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "can be approved one after the other by keyboard; an approval can be undone, or is sent when the page is left",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const { secret } = await fleet.issueBoundlessKey();
            const statusOf = async (id: string) =>
              (await fleet.call(`GET /store/orders/${id}`, { secret })).body.status;
            const [older, newer] = [await order(secret, "Ada"), await order(secret, "Bea")];
            const placed = page.getByRole("region", { name: "Placed", exact: true });
            await desk.visit("/orders");
            await desk.button(`Approve order ${newer}`, placed).focus();
            await page.keyboard.press("Enter");
            await desk.expectFocus(desk.button(`Approve order ${older}`, placed));
            await page.keyboard.press("Enter");
            await desk.button(`Undo order ${newer}`, placed).click();
            await desk.expectFocus(desk.button(`Approve order ${newer}`, placed));
            await desk.later();
            await desk.told(`Order ${older} is now approved.`);
            expect([await statusOf(older), await statusOf(newer)]).toEqual(["approved", "placed"]);

            await desk.button(`Approve order ${newer}`, placed).click();
            await desk.go("Journal");
            await desk.told(`Order ${newer} is now approved.`);
            expect(await statusOf(newer)).toBe("approved");
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "are approved no sooner than five seconds later, and at once when the tab is loaded anew or closed",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const { secret } = await fleet.issueBoundlessKey();
            const statusOf = async (id: string) =>
              (await fleet.call(`GET /store/orders/${id}`, { secret })).body.status;
            const sent: string[] = [];
            page.on("request", (request) => void (request.method() === "PATCH" && sent.push(request.url())));
            /** Approves the orders and waits almost as long as they can be undone, in the page's time alone. */
            async function approve(...ids: readonly string[]): Promise<void> {
              await desk.button(`Approve order ${ids[0]}`).waitFor();
              await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
              for (const id of ids) await desk.button(`Approve order ${id}`).click();
              await page.clock.runFor(4_900);
              expect([sent, await Promise.all(ids.map(statusOf))]).toEqual([[], ids.map(() => "placed")]);
              for (const id of ids) await desk.button(`Undo order ${id}`).waitFor();
            }
            async function expectApproved(...ids: readonly string[]): Promise<void> {
              for (const id of ids) while ((await statusOf(id)) !== "approved") await Bun.sleep(50);
            }
            const ids = [await order(secret, "Eli"), await order(secret, "Fay"), await order(secret, "Gus")] as const;
            await desk.visit(`/orders/${ids[0]}`);
            await approve(ids[0]);
            await page.reload({ waitUntil: "commit" });
            await expectApproved(ids[0]);
            await page.clock.resume();
            await desk.visit("/orders");
            await approve(ids[1], ids[2]);
            await page.close({ runBeforeUnload: true });
            await expectApproved(ids[1], ids[2]);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "do not move away under the pointer: new orders wait until they are asked for",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            const { secret } = await fleet.issueBoundlessKey();
            const first = await order(secret, "Cleo");
            const placed = page.getByRole("region", { name: "Placed", exact: true });
            await desk.visit("/orders");
            const card = placed.getByRole("listitem", { name: `Order ${first}` });
            const { y: before } = (await card.boundingBox()) ?? { y: undefined };
            const second = await order(secret, "Dora");
            const show = desk.button(/^1 new order, show/, placed);
            await desk.seesLater(show);
            const added = placed.getByRole("listitem", { name: `Order ${second}` });
            expect(await added.count()).toBe(0);
            expect((await card.boundingBox())?.y).toBe(before as number);
            await show.click();
            await desk.expectFocus(added);
            expect((await card.boundingBox())?.y).toBeGreaterThan(before as number);
          },
          { hasClock: true },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "are counted at the head of their column: of more than a page it says how many of the newest are shown",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { secret } = await fleet.issueBoundlessKey();
          for (let i = 0; i <= ORDERS_PER_PAGE; i++) await order(secret, `Queue ${i}`);
          const [{ count } = { count: 0 }] = (await fleet.query(
            "SELECT count(*) AS count FROM orders WHERE status = 'placed'",
          )) as { count: unknown }[];
          expect(Number(count)).toBeWithin(ORDERS_PER_PAGE + 1, 2 * ORDERS_PER_PAGE);
          await desk.follow("/orders");
          const placed = page.getByRole("region", { name: "Placed", exact: true });
          await placed.getByText(`newest ${ORDERS_PER_PAGE}`, { exact: true }).waitFor();
          expect(await placed.getByRole("listitem").count()).toBe(ORDERS_PER_PAGE);
          await desk.settled();
          await desk.expectUnclipped("a column of more than a page");
          await desk.button("Show more placed orders", placed).click();
          await placed.getByText(String(count), { exact: true }).waitFor();
          expect(await placed.getByRole("listitem").count()).toBe(Number(count));
          expect(await placed.getByText("newest").count()).toBe(0);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "have times in the viewer's zone, and in UTC on hover",
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
            const withoutUtc = desk.page.locator("time:not([title$=' UTC'])");
            expect(await withoutUtc.count()).toBe(0);
          }
        }),
      BROWSER_TEST_MS,
    );
  });
});
