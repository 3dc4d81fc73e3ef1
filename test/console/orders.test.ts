import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../harness/desk.ts";
import { Fleet } from "../harness/fleet.ts";
import { onEveryStore } from "../harness/stores.ts";

// Orders, in a real browser, against the executable.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
    }, BROWSER_TEST_MS);

    /** Orders an animal of this name. Returns the id of the order. */
    async function order(secret: string, name: string): Promise<string> {
      const { body: pet } = await fleet.call("POST /pets", { secret, body: { name, categoryId: 7 } });
      const { status, body } = await fleet.call("POST /store/orders", { secret, body: { petId: pet.id } });
      expect(status).toBe(201);
      return String(body.id);
    }

    test(
      "shows orders side by side and moves them; a move that is refused says why; the journal has its author",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { secret } = await fleet.issueBoundlessKey();
          const [first, second] = [await order(secret, "Rex"), await order(secret, "Max")];
          const column = (title: string) => page.getByRole("region", { name: title, exact: true });
          await desk.visit("/orders");
          await desk.button(`Approve order ${first}`, column("Placed")).click();
          await desk.told(`Order ${first} is approved now.`);
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

          // Somebody else is faster, and the page does not know it yet.
          await page.route("**/console/api/orders?*", () => {});
          await fleet.call(`PATCH /store/orders/${second}`, { secret, body: { status: "cancelled" } });
          desk.expects(/^409 PATCH \/console\/api\/orders/);
          await desk.button(`Approve order ${second}`, column("Placed")).click();
          await desk.told(new RegExp(`^Order ${second}: .*cancelled`));
          await page.unroute("**/console/api/orders?*");
          await page.reload();
          await column("Cancelled")
            .getByRole("listitem", { name: `Order ${second}` })
            .waitFor();

          await desk.go("Journal");
          await desk.row(`Moved order ${first}`).filter({ hasText: "delivered" }).filter({ hasText: "Anna" }).waitFor();
          expect(await desk.row(`Moved order ${second}`).count()).toBe(0);
        }),
      BROWSER_TEST_MS,
    );
  });
});
