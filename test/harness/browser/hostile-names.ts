import { expect } from "bun:test";
import type { Fleet } from "../service/fleet.ts";
import type { Desk } from "./desk.ts";

/** Names that are malicious, or just in another language. */
export const HOSTILE_NAMES = [
  `<img src=x onerror="document.body.dataset.hacked='yes'">`,
  `"><script>document.body.dataset.hacked='yes'</script>`,
  "{{constructor.constructor('x')()}} &amp; %3Cb%3E",
  "مرحبا بالعالم‏ (שלום) <b>",
  "👩‍👩‍👧‍👦🦄 Zoë Ångström",
  "W".repeat(255),
];

/** Names of keys are shorter. */
export const KEY_NAMES = HOSTILE_NAMES.map((name) => name.slice(0, 100));

/** Creates keys, animals, categories and orders with these names. Returns the ids of the last ones. */
export async function fillWithHostileNames(fleet: Fleet) {
  const { id: key, secret } = await fleet.issueBoundlessKey(KEY_NAMES.at(-1));
  for (const name of KEY_NAMES.slice(0, -1)) await fleet.issueKey(name, "--plan", "pro");
  let [animal, order] = ["", ""];
  for (const [i, name] of HOSTILE_NAMES.entries()) {
    const { body } = await fleet.call("POST /pets", { secret, body: { name, categoryId: i } });
    await fleet.call(`PUT /categories/${i}`, { secret, body: { name: `${name.slice(0, 250)} ${i}` } });
    const reference = name.slice(0, 64);
    const ordered = await fleet.call("POST /store/orders", { secret, body: { petId: body.id, reference } });
    animal = String(body.id);
    order = String(ordered.body.id);
  }
  return { key, animal, order };
}

/** Checks that no name was rendered as anything but text. */
export async function expectNoElementOfName({ page }: Desk): Promise<void> {
  expect(await page.locator("img, script:not([src]), b b, iframe").count()).toBe(0);
  expect(await page.locator("body").getAttribute("data-hacked")).toBeNull();
}
