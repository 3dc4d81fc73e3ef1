import { expect, test } from "bun:test";
import { join } from "node:path";
import { CHROMIUM } from "../../test/harness/browser/chromium.ts";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore } from "../src/index.ts";
import { openPage, startSite } from "./harness/chromium.ts";

const EXAMPLE = join(import.meta.dir, "../examples/front-desk.html");

test.skipIf(!CHROMIUM)(
  "the front desk, a page of another origin, orders animals, and says who was faster",
  async () => {
    const origin = startSite({ "/front-desk": () => new Response(Bun.file(EXAMPLE)) });
    const service = await startService({ env: { CORS_ORIGINS: origin } });
    const store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
    for (const name of ["<b>Rex</b>", "Mia", "Tom"]) await store.pets.create({ name, categoryId: 7 });
    const { secret } = await service.issueKey({ scopes: ["pets:read", "orders:write"] });

    const { page, complaints } = await openPage(`${origin}/front-desk`);
    const says = (text: string | RegExp) => page.locator("#said", { hasText: text }).waitFor();
    const buttons = () => page.locator("#pets button").allTextContents();
    await page.fill("[name=baseUrl]", `${service.origin}/v1`);
    await page.fill("[name=apiKey]", "ask_mistyped");
    await page.click("#sign-in button");
    await says(/API key/);
    await page.fill("[name=apiKey]", secret);
    await page.click("#sign-in button");
    await says("3 available");
    expect(await buttons()).toEqual(["Order <b>Rex</b>", "Order Mia", "Order Tom"]);

    await page.click("text=Order <b>Rex</b>");
    await says("<b>Rex</b> is ordered: number 1. 2 available");
    await store.orders.place({ petId: 2 });
    await page.click("text=Order Mia");
    await says("Somebody was faster: Mia is not available. 1 available");
    expect(await buttons()).toEqual(["Order Tom"]);
    expect((await store.orders.list()).items.map(({ petId }) => petId)).toEqual(["1", "2"]);
    // The browser itself logs the 401 and the 409.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource: "))).toEqual([]);
  },
);
