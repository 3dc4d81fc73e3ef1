import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { run } from "../../harness/program/program.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// All actions on keys, in a real browser, against the executable.

const withDesk = openBrowser();

/** The client in this checkout, as nothing is installed where a test runs a program. */
const CLIENT = join(import.meta.dir, "../../../client/src/index.ts");

/** Issues a key in the console. Returns its secret from the clipboard. */
async function issue(desk: Desk, name: string, fill: (dialog: ReturnType<Desk["dialog"]>) => Promise<void>) {
  await desk.go("Keys");
  await desk.button("Issue a key").click();
  const dialog = desk.dialog("Issue a key");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await fill(dialog);
  await desk.button("Issue", dialog).click();
  const shown = desk.dialog(`The secret of ${name}`);
  const done = desk.button("Done", shown);
  expect(await done.isDisabled()).toBe(true);
  // The secret is shown only once, so Escape does not close the dialog.
  await desk.page.keyboard.press("Escape");
  const secret = await shown.getByRole("textbox", { name: "Secret" }).inputValue();
  await desk.button("Copy the secret", shown).click();
  await desk.told("Copied the secret.");
  expect(await desk.copied()).toBe(secret);
  await done.click();
  await desk.heading(name).waitFor();
  return { secret, id: new URL(desk.page.url()).pathname.split("/").at(-1) as string };
}

describe.skipIf(!CHROMIUM)("keys in the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
    }, BROWSER_TEST_MS);
    const statusWith = async (secret: string): Promise<number> => (await fleet.call("GET /pets", { secret })).status;
    /** Instances learn of a change within a second. */
    async function until(isSo: () => Promise<boolean>): Promise<void> {
      while (!(await isSo())) await Bun.sleep(100);
    }

    test(
      "come with first requests to copy, which work, and expire when a preset says",
      () =>
        withDesk(fleet, async (desk) => {
          await desk.go("Keys");
          await desk.button("Issue a key").click();
          const dialog = desk.dialog("Issue a key");
          await dialog.getByRole("textbox", { name: "Name" }).fill("Kiosk");
          const plans = await dialog.getByRole("table").getByRole("row").allInnerTexts();
          expect(plans.map((plan) => plan.trim().split(/\s*\t\s*/))).toEqual([
            ["Per minute", "Per day"],
            ["Free", "60", "1,000"],
            ["Pro", "300", "10,000"],
            ["Business", "1,000", "100,000"],
            ["Enterprise", "you set them"],
          ]);
          const plan = (name: string) => dialog.getByRole("radio", { name });
          expect(await plan("Free: 60 per minute, 1,000 per day").isChecked()).toBe(true);
          await plan("Enterprise").check();
          await dialog.getByLabel("Requests per minute").fill("2500");
          await dialog.getByText("2,500 refusals in a minute ban the key").waitFor();
          await plan("Business: 1,000 per minute, 100,000 per day").check();
          expect(await dialog.getByLabel("Requests per minute").count()).toBe(0);
          const expires = dialog.getByLabel("Expires");
          await desk.button("In a year", dialog).click();
          await dialog.getByText("It expires in 365 days").waitFor();
          await desk.button("Never", dialog).click();
          expect(await expires.inputValue()).toBe("");
          await desk.button("In 30 days", dialog).click();
          await desk.button("Issue", dialog).click();
          const shown = desk.dialog("The secret of Kiosk");
          const secret = await shown.getByRole("textbox", { name: "Secret" }).inputValue();
          await shown.getByText("Try it, on a command line or in a program").click();
          await desk.expectUsable("a new secret");
          await desk.button("Copy the command", shown).click();
          await desk.told("Copied the command.");
          const command = await desk.copied();
          expect(command).toContain(secret);
          const { out } = await run([`${command} --silent --fail`], {
            cwd: temporaryFolder(),
            program: ["bash", "-c"],
          });
          expect(JSON.parse(out)).toEqual([]);
          await desk.button("Copy the program", shown).click();
          await desk.told("Copied the program.");
          const program = (await desk.copied()).replace('"animal-store-client"', JSON.stringify(CLIENT));
          const printed = await run(["-e", program], { cwd: temporaryFolder(), program: [process.execPath] });
          expect([printed.err, printed.exitCode]).toEqual(["", 0]);
          await shown.getByRole("checkbox", { name: "I have saved the secret" }).check();
          await desk.button("Done", shown).click();
          const expiry = await desk.fact("Expires").getByRole("time").getAttribute("datetime");
          const days = (Date.parse(String(expiry)) - Date.now()) / DAY_MS;
          expect([days > 29.9, days < 30.1]).toEqual([true, true]);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "are issued, renamed, changed, rotated, suspended, resumed and revoked, and the API and the journal agree",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { secret, id } = await issue(desk, "Front desk, Leipzig", async (dialog) => {
            await dialog.getByRole("radio", { name: "Enterprise" }).check();
            await dialog.getByLabel("Requests per minute").fill("5000");
            await dialog.getByLabel("Requests per day").fill("1000000");
          });
          expect(await statusWith(secret)).toBe(200);
          await page.reload();
          await desk.heading("Front desk, Leipzig").waitFor();
          expect(await page.content()).not.toContain(secret);
          expect(await desk.fact("Plan").textContent()).toBe("Enterprise: 5,000 per minute, 1,000,000 per day");

          await desk.button("Edit").click();
          const edit = desk.dialog("Edit the key");
          await edit.getByLabel("Name").fill("Front desk, Halle");
          await edit.getByLabel("Requests per minute").fill("6000");
          await edit.getByRole("checkbox", { name: "Write pets" }).uncheck();
          await edit.getByRole("checkbox", { name: "Write orders" }).uncheck();
          await edit.getByLabel("Expires").fill("2099-12-31T12:30");
          await desk.button("Save", edit).click();
          await desk.told("Saved.");
          await desk.heading("Front desk, Halle").waitFor();
          expect(await desk.fact("Access").textContent()).toBe("Read only");
          expect(await desk.fact("Plan").textContent()).toBe("Enterprise: 6,000 per minute, 1,000,000 per day");
          expect(await desk.fact("Expires").getByRole("time").getAttribute("datetime")).toBe(
            "2099-12-31T11:30:00.000Z",
          );
          await until(async () => {
            const body = { name: "Rex", categoryId: 7 };
            return (await fleet.call("POST /pets", { secret, body })).status === 403;
          });

          await desk.button("Edit").click();
          await desk
            .dialog("Edit the key")
            .getByText(/Its busiest day of the last 30 had \d+ requests?\./)
            .waitFor();
          await desk.dialog("Edit the key").getByRole("radio", { name: "Pro" }).check();
          await desk.dialog("Edit the key").getByLabel("Expires").fill("");
          await desk.button("Save", desk.dialog("Edit the key")).click();
          await desk.fact("Plan").filter({ hasText: "Pro: 300 per minute, 10,000 per day" }).waitFor();
          expect(await desk.fact("Expires").textContent()).toBe("never");

          await desk.button("Rotate").click();
          await desk
            .dialog(/^Rotate/)
            .getByLabel("How long")
            .selectOption("For 1 hour");
          await desk.button("Create a new secret").click();
          const shown = desk.dialog("The new secret of Front desk, Halle");
          const rotated = await shown.getByRole("textbox", { name: "Secret" }).inputValue();
          await desk.button("Copy the secret", shown).click();
          await desk.button("Done", shown).click();
          await until(async () => (await statusWith(rotated)) === 200);
          expect(await statusWith(secret)).toBe(200);
          await desk.fact("Secrets").filter({ hasText: "valid until" }).waitFor();
          expect(await desk.fact("Secrets").getByRole("listitem").count()).toBe(2);

          await desk.button("Suspend").click();
          await desk.told("Suspended: the key does not work until you resume it.");
          await until(async () => (await statusWith(rotated)) === 401);
          await desk.button("Undo").click();
          await desk.told("Resumed: the key works again.");
          await until(async () => (await statusWith(rotated)) === 200);
          await desk.button("Suspend").click();
          await desk.button("Resume").click();
          await desk.button("Suspend").waitFor();

          await desk.button("Revoke…").click();
          const revoke = desk.dialog("Revoke this key?");
          const forGood = desk.button("Revoke permanently", revoke);
          await revoke.getByLabel("Type the name to confirm").fill("Front desk, Leipzig");
          expect(await forGood.isDisabled()).toBe(true);
          await revoke.getByLabel("Type the name to confirm").fill("Front desk, Halle");
          await forGood.click();
          await desk.told("Revoked: the key will never work again.");
          await until(async () => (await statusWith(rotated)) === 401);
          expect(await statusWith(secret)).toBe(401);
          for (const gone of ["Edit", "Rotate", "Suspend", "Resume", "Revoke…"])
            expect(await desk.button(gone).count()).toBe(0);

          await desk.follow(`/journal?key=${id}`);
          await desk.row("Issued key").waitFor();
          const rows = (await page.getByRole("row").allInnerTexts()).slice(1).map((row) => row.replace(/\s+/g, " "));
          const deeds = ["Revoked", "Resumed", "Suspended", "Resumed", "Suspended", "Rotated", "Changed", "Changed"];
          expect(rows).toHaveLength(9);
          for (const [i, command] of [...deeds, "Issued"].entries())
            expect(rows[i]).toMatch(new RegExp(`Anna ?operator, console.*${command} key Front desk`));
          expect(rows[7]).toContain("name Front desk, Leipzig → became Front desk, Halle");
          expect(rows[7]).toContain("per minute 5,000 → became 6,000");
          expect(rows[7]).toContain("access Everything → became Read");
        }),
      BROWSER_TEST_MS,
    );

    test(
      "show their latest requests: filtered by status, code and time, with what was wrong in the words of the API",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { id, secret } = await fleet.issueKey("Till", "--plan", "pro", "--scopes", "pets:read,pets:write");
          await desk.visit(`/keys/${id}`);
          await desk.heading("No requests yet").waitFor();
          await page.goto("about:blank");
          await fleet.call("GET /pets?name=Rex", { secret });
          const { body: refusal } = await fleet.call("POST /pets", { secret, body: { name: "Rex", "<b>🐕": 1 } });
          await fleet.call("GET /store/orders", { secret });
          await fleet.call(`GET /pets/${"x".repeat(20)}/${"y/".repeat(90)}`, { secret });
          // A stop stores what was counted.
          await fleet.restart();

          await desk.visit(`/keys/${id}`);
          const requests = page.getByRole("table", { name: "Latest requests" });
          await requests.waitFor();
          await desk.row("200").waitFor();
          expect(await requests.getByRole("row").count()).toBe(5);
          await desk.sees(/4 requests are kept\. Queries and bodies never are\./);
          await desk.expectUsable("a key with requests");
          await desk.expectUnclipped("a key with requests");

          await page.getByRole("combobox", { name: "Status" }).selectOption("4xx");
          await desk.row("200").waitFor({ state: "detached" });
          await page.getByRole("combobox", { name: "Error code" }).selectOption(refusal.code);
          await desk.row("403 insufficient_scope").waitFor({ state: "detached" });
          expect(new URL(page.url()).search).toBe(`?status=4xx&code=${refusal.code}`);
          await page.reload();
          await desk.row(refusal.code).waitFor();
          expect(await requests.getByRole("row").count()).toBe(2);
          await page.getByLabel("From", { exact: true }).fill("2099-01-01T00:00");
          await page.getByLabel("From", { exact: true }).blur();
          await desk.heading("No matching requests").waitFor();
          await page.getByRole("link", { name: "show all that are kept" }).click();
          await desk.row("200").waitFor();
          expect(new URL(page.url()).search).toBe("");
          await desk.row(refusal.code).getByRole("link").click();
          await desk.title("POST /v1/pets").waitFor();
          await desk.sees(refusal.message);
          expect(await desk.fact("Status").textContent()).toBe("400");
          expect(await desk.fact("Code").textContent()).toBe(refusal.code);
          await desk.expectUsable("a request");
          await desk.expectUnclipped("a request");
          await desk.button("Copy the request id").click();
          expect(await desk.copied()).toBe((await desk.fact("Request id").locator("code").textContent()) as string);
          await desk.fact("Key").getByRole("link", { name: "Till" }).click();
          await desk.title("Till").waitFor();
          desk.expects(/^404 GET \/console\/api\/keys\/[^/]+\/requests\/1$/);
          await desk.visit(`/keys/${id}/requests/1`);
          await desk.sees("This request is not kept, or no longer");
        }),
      BROWSER_TEST_MS,
    );

    // Both stores do the rest without a browser, in test/console/keys.test.ts.
    if (backend !== sqlite) return;

    test(
      "that was banned for real says so, in the list as well, and works again once the ban is lifted",
      () =>
        withDesk(fleet, async (desk) => {
          const { id, secret } = await fleet.issueKey("Price import", "--plan", "free");
          const code = async (): Promise<string | undefined> => (await fleet.call("GET /pets", { secret })).body.code;
          // A minute may end in between, and with it the count.
          while ((await code()) !== "key_banned") await Promise.all(Array.from({ length: 20 }, code));
          // Leave the page, so that counters are saved and caches are empty.
          await desk.page.goto("about:blank");
          await fleet.restart();
          await desk.visit("/keys?state=banned");
          await desk.row("Price import").filter({ hasText: "Banned until" }).waitFor();
          await desk.row("Price import").getByRole("link").click();
          await desk.heading("Price import").waitFor();
          await desk.fact("Bans").filter({ hasText: "1 in a row; the next one would last 5 min" }).waitFor();
          expect(await desk.fact("This minute").textContent()).toContain("of 60");
          await desk.button("Lift the ban").click();
          await desk.told("The ban was lifted, and earlier bans are forgotten.");
          // The quota of the minute may still be used up, which is not a ban.
          await until(async () => (await code()) !== "key_banned");
          await desk.follow(`/journal?key=${id}`);
          await desk.row("Lifted the ban on key Price import").filter({ hasText: "Anna" }).waitFor();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "are found by name, plan and state, and mistakes in a form are beside their field",
      () =>
        withDesk(fleet, async (desk) => {
          await Promise.all(["Storefront", "Vet practice"].map((name) => fleet.issueKey(name, "--plan", "business")));
          await desk.visit("/keys?plan=business");
          await desk.row("Storefront").waitFor();
          await desk.page.getByRole("searchbox", { name: "Search by name or id" }).fill("vet");
          await desk.row("Storefront").waitFor({ state: "detached" });
          expect(await desk.row("Vet practice").count()).toBe(1);
          expect(new URL(desk.page.url()).search).toBe("?plan=business&search=vet");
          await desk.page.getByRole("combobox", { name: "State" }).selectOption("Revoked");
          await desk.heading("No matching keys").waitFor();
          await desk.page.getByText(/^0 of \d+ keys\.$/).waitFor();
          await desk.page.getByRole("link", { name: /^show all/ }).click();
          await desk.row("Storefront").waitFor();

          desk.expects(/^400 POST \/console\/api\/keys$/);
          await desk.button("Issue a key").click();
          const dialog = desk.dialog("Issue a key");
          await desk.button("Issue", dialog).click();
          const name = dialog.getByRole("textbox", { name: "Name" });
          await dialog.locator(".mistake").waitFor();
          expect(await name.getAttribute("aria-invalid")).toBe("true");
          await desk.expectFocus(name);
          // All mistakes at once.
          await dialog.getByRole("radio", { name: "Enterprise" }).check();
          for (const scope of ["Read pets", "Write pets", "Read orders", "Write orders"])
            await dialog.getByLabel(scope).uncheck();
          await dialog.getByLabel("Expires").fill("2020-01-01T12:00");
          await desk.button("Issue", dialog).click();
          await dialog.locator(".mistake").nth(4).waitFor();
          expect(await dialog.locator(".mistake").count()).toBe(5);
          await desk.page.keyboard.press("Escape");
          await desk.closed();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "of the same name are told apart; a revoked one is deleted, or hidden; messages cover no button, and the filter bar stays",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const { id } = await fleet.issueKey("Twin", "--plan", "free");
          const topOfTools = (): Promise<number> =>
            page.evaluate<number>("document.querySelector('.tools').getBoundingClientRect().top");
          // The number of keys comes later than the bar below it.
          await page.route("**/console/api/keys?*", async (route) => route.continue());
          await desk.visit("/keys");
          await page.locator(".tools").waitFor();
          const before = await topOfTools();
          await desk.row("Twin").waitFor();
          expect(await topOfTools()).toBe(before);
          expect(await desk.row("Twin").innerText()).not.toContain(id);

          await desk.button("Issue a key").click();
          const dialog = desk.dialog("Issue a key");
          await dialog.getByRole("textbox", { name: "Name" }).fill("Twin");
          await dialog.getByText(`Another key has this name, ${id}. Only their ids will tell them apart.`).waitFor();
          await desk.button("Issue", dialog).click();
          await page.getByLabel("I have saved the secret").check();
          await desk.button("Done").click();
          await desk.title("Twin").waitFor();
          const second = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) as string);
          await desk.follow("/keys?search=Twin");
          for (const each of [id, second]) await desk.row("Twin").filter({ hasText: each }).waitFor();

          await desk.follow(`/keys/${second}`);
          await desk.button("Revoke…").click();
          await page.getByLabel("Type the name to confirm").fill("Twin");
          await desk.button("Revoke permanently").click();
          await desk.told("Revoked: the key will never work again.");
          const covered = await page.evaluate<string[]>(`(() => {
            const toast = document.querySelector(".toast").getBoundingClientRect();
            return [...document.querySelectorAll("main button, main a, nav a")].filter((control) => {
              const box = control.getBoundingClientRect();
              return box.left < toast.right && toast.left < box.right && box.top < toast.bottom && toast.top < box.bottom;
            }).map((control) => control.textContent);
          })()`);
          expect(covered).toEqual([]);
          await desk.follow("/keys?search=Twin&state=not_revoked");
          await desk.row(second).waitFor({ state: "detached" });
          await desk.row(id).waitFor();
          await desk.follow(`/keys/${second}`);
          await desk.button("Delete…").click();
          await page.getByLabel("Type the name to confirm").fill("Twin");
          // The service waits until no request with the key can be in progress; the page may ask for it meanwhile.
          desk.allows(new RegExp(`^404 GET /console/api/keys/${second}`));
          await desk.button("Delete permanently").click();
          await desk.told("The key “Twin” was deleted.");
          await desk.row("Twin").filter({ hasText: id }).waitFor({ state: "detached" });
          expect(await fleet.query(`SELECT id FROM keys WHERE id = '${second}'`)).toEqual([]);
        }),
      BROWSER_TEST_MS,
    );
  });
});
