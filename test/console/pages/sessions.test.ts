import { describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { BROWSER_TEST_MS, CHROMIUM, type Desk, openBrowser } from "../../harness/browser/desk.ts";
import { atEnd } from "../../harness/cleanup.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { onEveryStore, sqlite } from "../../harness/service/stores.ts";

// Access to the console, in a real browser, against the executable.

const withDesk = openBrowser();

const COOKIE = "animal_store_console";
const API = "**/console/api/**";

/** The requests to another site. */
const askedElsewhere: string[] = [];

/** The other site, on this machine. */
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => {
    askedElsewhere.push(new URL(url).pathname);
    return new Response(new URL(url).searchParams.get("html") ?? "<!doctype html><title>Elsewhere</title>", {
      headers: { "Content-Type": "text/html" },
    });
  },
});
atEnd(() => site.stop(true));

const keyCount = async (fleet: Fleet): Promise<number> => (await fleet.query("SELECT 1 FROM keys")).length;

describe.skipIf(!CHROMIUM)("the console", () => {
  onEveryStore(({ backend, setUp }) => {
    let fleet: Fleet;
    setUp(async () => {
      fleet = await Fleet.start(backend);
    }, BROWSER_TEST_MS);

    const cookieOf = async ({ context }: Desk) =>
      (await context.cookies(`${fleet.origins[0]}/console`)).find(({ name }) => name.startsWith(COOKIE));

    test(
      "is entered by a link, once; the token is in no address afterwards, and no script reads the cookie",
      () =>
        withDesk(
          fleet,
          async (desk) => {
            const { page } = desk;
            desk.expects(/^401 GET \/console\/api\/session$/, /^401 POST \/console\/api\/session$/);
            await page.goto(`${fleet.origins[0]}/console/keys`);
            await desk.heading("Sign in").waitFor();
            await desk.sees("npx animal-store console");
            const link = await fleet.link("Front desk");
            for (const mistyped of [
              link.slice(0, -1),
              link.replace(/#.*/, "#token="),
              link.replace("token=", "tokn="),
            ]) {
              await page.goto("about:blank");
              await page.goto(mistyped);
              await desk.sees("This link is incomplete or mistyped. Open the whole link, as the command printed it.");
              expect(page.url()).toBe(link.replace(/#.*/, ""));
            }
            await page.goto(link);
            await desk.sees("Front desk");
            expect(page.url()).toBe(`${fleet.origins[0]}/console/keys`);
            expect(await page.evaluate<string>("document.cookie")).toBe("");
            expect(await cookieOf(desk)).toMatchObject({
              path: "/console",
              httpOnly: true,
              sameSite: "Strict",
              secure: false,
            });
            // The link does not work a second time, at any instance.
            await page.goto("about:blank");
            await desk.context.clearCookies();
            for (const origin of fleet.origins) {
              await page.goto("about:blank");
              await page.goto(link.replace(fleet.origins[0] as string, origin));
              await desk.sees("This link no longer works: it has been used, or is more than ten minutes old.");
            }
            const used = link.replace(/#token=.*/, `#token=${"x".repeat(43)}`);
            await page.goto("about:blank");
            await page.goto(used);
            await desk.sees("This link no longer works");
            // Nor does a link that is older than ten minutes.
            const late = await fleet.link("Front desk");
            await fleet.query("UPDATE console_links SET expires_at = expires_at - 600000");
            await page.goto("about:blank");
            await page.goto(late);
            await desk.sees("This link no longer works");
            expect(await cookieOf(desk)).toBeUndefined();
          },
          { name: null },
        ),
      BROWSER_TEST_MS,
    );

    test(
      "is signed in at every instance at once, and out of all of them, also by a command",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const [first, last] = [fleet.origins[0], fleet.origins.at(-1)] as [string, string];
          const visit = async (origin: string, heading: string): Promise<void> => {
            await page.goto(`${origin}/console/keys`);
            await desk.heading(heading).waitFor();
          };
          await visit(first, "Keys");
          await visit(last, "Keys");
          // A cookie stolen from the other environment is worthless here.
          const stolen = await cookieOf(desk);
          desk.expects(/^401 GET/);
          // The page polls before it learns that it has signed out.
          await page.route("**/console/api/sessions", async (route) => {
            const response = await route.fetch();
            await desk.follow("/animals");
            await desk.sees("Your session has ended.");
            await route.fulfill({ response });
          });
          await desk.button("sign out").click();
          await desk.button("Sign out everywhere").click();
          await desk.sees("You have signed out everywhere.");
          await page.unroute("**/console/api/sessions");
          for (const origin of [first, last]) {
            const kept = await fetch(`${origin}/console/api/keys`, {
              headers: { Cookie: `${COOKIE}=${stolen?.value}`, "Sec-Fetch-Site": "same-origin" },
            });
            expect(kept.status).toBe(401);
            await visit(origin, "Sign in");
          }
          await desk.signIn();
          await visit(last, "Keys");
          await fleet.run("console", "sign-out", "--all", "--yes");
          await desk.follow("/orders");
          await desk.sees("Your session has ended.");
          for (const origin of [first, last]) await visit(origin, "Sign in");
        }),
      BROWSER_TEST_MS,
    );

    // Both stores do the rest without a browser, in test/console/sign-in.test.ts.
    if (backend !== sqlite) return;

    test(
      "runs no script and asks no host but its own, whatever gets into a page",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          desk.expects(/Content Security Policy/, /^a request to another host/, /^csp GET/);
          const elsewhere = `http://127.0.0.1:${site.port}/leak`;
          const outcome = await page.evaluate<string>(`(async () => {
            const script = document.createElement("script");
            script.textContent = "document.body.dataset.hacked = 'inline'";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend", "<i onclick='document.body.dataset.hacked = 1'>x</i>");
            document.body.lastElementChild.click();
            document.body.insertAdjacentHTML("beforeend", "<img src='${elsewhere}'>");
            await import("data:text/javascript,document.body.dataset.hacked = 2").catch(() => {});
            return fetch("${elsewhere}").then(() => "sent", () => "refused");
          })()`);
          expect(outcome).toBe("refused");
          expect(askedElsewhere).not.toContain("/leak");
          expect(await page.locator("body").getAttribute("data-hacked")).toBeNull();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "signs out here, or everywhere: others are sent to the sign-in with a reason, and their cookies are worth nothing",
      () =>
        withDesk(fleet, (first) =>
          withDesk(fleet, (second) =>
            withDesk(fleet, async (third) => {
              const stolen = await cookieOf(first);
              // A page may be polling at that moment.
              for (const desk of [first, second]) desk.allows(/^401 GET/);
              await first.button("sign out").click();
              await first.button("Sign out here").click();
              await first.sees("You have signed out.");
              const kept = await fetch(`${fleet.origins.at(-1)}/console/api/session`, {
                headers: { Cookie: `${COOKIE}=${stolen?.value}` },
              });
              expect(kept.status).toBe(401);
              await second.visit("/keys");
              await second.heading("Keys").waitFor();

              third.expects(/^401 GET/);
              await second.button("sign out").click();
              await second.button("Sign out everywhere").click();
              await second.sees("You have signed out everywhere.");
              await third.follow("/animals");
              await third.sees("Your session has ended.");
              expect(await fleet.query("SELECT 1 FROM console_sessions")).toEqual([]);
              await third.signIn("Anna");
              await third.go("Journal");
              await third.row("Signed everyone out of the console").first().waitFor();
            }),
          ),
        ),
      BROWSER_TEST_MS,
    );

    test(
      "ends a session that has expired, wherever one is, and goes on there with the next link",
      () =>
        withDesk(fleet, async (desk) => {
          const [origin] = fleet.origins;
          await desk.page.goto(`${origin}/console/keys?plan=pro`);
          await desk.heading("No matching keys").waitFor();
          await fleet.query("UPDATE console_sessions SET expires_at = 1000");
          desk.expects(/^401 GET/);
          await desk.follow("/animals?status=sold");
          await desk.sees("Your session has ended.");
          await desk.page.goto(await fleet.link());
          await desk.title("Animals").waitFor();
          expect(desk.page.url()).toBe(`${origin}/console/animals?status=sold`);
          // The page is remembered for one link, and for none after signing out.
          await desk.page.goto(await fleet.link());
          await desk.title("Overview").waitFor();
          await desk.go("Journal");
          await desk.button("sign out").click();
          await desk.button("Sign out here").click();
          await desk.sees("You have signed out.");
          await desk.page.goto(await fleet.link());
          await desk.title("Overview").waitFor();
          // Each request prolongs the session, so active users are not signed out.
          const soonMs = Date.now() + 60_000;
          await fleet.query(`UPDATE console_sessions SET expires_at = ${soonMs}`);
          await desk.visit("/orders");
          await desk.heading("Orders").waitFor();
          const isProlonged = `SELECT 1 FROM console_sessions WHERE expires_at > ${soonMs + 39_600_000}`;
          while ((await fleet.query(isProlonged)).length === 0) await desk.settled();
          expect((await cookieOf(desk))?.expires).toBeGreaterThan(soonMs / 1000 + 39_600);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "keeps what was typed when the session ends, for the same person alone",
      () =>
        withDesk(fleet, async (desk) => {
          const { page, context } = desk;
          const field = page.getByRole("textbox", { name: "Name" });
          const covered = desk.dialog("Sign in");
          /** Signs in as another tab would, with which this one shares its cookies. */
          async function signInElsewhere(name: string): Promise<void> {
            const { origin, hash } = new URL(await fleet.link(name));
            const token = hash.replace("#token=", "");
            const answer = await context.request.post(`${origin}/console/api/session`, {
              headers: { Origin: origin },
              data: { token },
            });
            expect(answer.status()).toBe(204);
            await page.evaluate<void>("dispatchEvent(new Event('focus'))");
            await covered.waitFor({ state: "detached" });
          }
          await page.goto(`${fleet.origins[0]}/console/keys`);
          await desk.button("Issue a key").click();
          await field.fill("Half typed");
          await desk.settled();
          // Nothing but the form is to find the session ended, so the page's polls and look-ups wait until it has.
          const waiting: Route[] = [];
          await page.route(API, (route) =>
            route.request().method() === "GET" ? void waiting.push(route) : route.continue(),
          );
          await fleet.query("UPDATE console_sessions SET expires_at = 1000");
          desk.expects(/^401 POST/);
          desk.allows(/^401 GET/);
          await desk.button("Issue").click();
          await covered.waitFor();
          await page.unroute(API);
          for (const route of waiting) await route.continue().catch(() => {});
          await desk.sees("Open its link in another tab, then come back to this one");
          await page.keyboard.press("Escape");
          await page.keyboard.press("Escape");
          await desk.expectUsable("the sign-in over a page");
          await signInElsewhere("Anna");
          expect(await field.inputValue()).toBe("Half typed");
          expect(await page.title()).toStartWith("Keys");
          await desk.button("Issue").click();
          // A secret that is shown once is kept as well.
          const secret = desk.dialog("The secret of Half typed");
          await secret.waitFor();
          await fleet.query("UPDATE console_sessions SET expires_at = 1000");
          await desk.later();
          await covered.waitFor();
          await signInElsewhere("Anna");
          await secret.waitFor();
          await fleet.query("UPDATE console_sessions SET expires_at = 1000");
          await desk.later();
          await covered.waitFor();
          await signInElsewhere("Bob");
          await desk.closed();
          await desk.title("Keys").waitFor();
        }),
      BROWSER_TEST_MS,
    );

    test(
      "API keys never open it, and sessions never open the API",
      () =>
        withDesk(fleet, async (desk) => {
          const { secret } = await fleet.issueBoundlessKey("Curious");
          const api = `${fleet.origins[0]}/console/api`;
          const withKey = await fetch(`${api}/session`, { headers: { Authorization: `Bearer ${secret}` } });
          expect(withKey.status).toBe(401);
          const asToken = await fetch(`${api}/session`, {
            method: "POST",
            headers: { Origin: fleet.origins[0] as string, "Content-Type": "application/json" },
            body: JSON.stringify({ token: secret }),
          });
          expect(asToken.status).toBe(401);
          desk.expects(/^401 GET \/v1\/pets$/);
          expect(await desk.page.evaluate(async () => (await fetch("/v1/pets")).status)).toBe(401);
          const cookie = await cookieOf(desk);
          const headers = [{ Cookie: `${COOKIE}=${cookie?.value}` }, { Authorization: `Bearer ${cookie?.value}` }];
          for (const each of headers)
            expect((await fetch(`${fleet.origins[0]}/v1/pets`, { headers: each })).status).toBe(401);
        }),
      BROWSER_TEST_MS,
    );

    test(
      "does nothing that pages of other origins ask for, and is shown in nobody's frame",
      () =>
        withDesk(fleet, async (desk) => {
          const { page } = desk;
          const before = await keyCount(fleet);
          const api = `${fleet.origins[0]}/console/api`;
          desk.expects(/another host/, /^403 POST/, /on the console: .*(CORS|frame)/, /^net::ERR_/);
          // The same host is the same site, so the cookie is sent; the other host is another site.
          for (const host of ["127.0.0.1", "localhost"]) {
            await page.goto(`http://${host}:${site.port}/`);
            const seen = await page.evaluate(async (url) => {
              const form = JSON.stringify({ name: "Foreign", plan: "free", scopes: ["pets:read"], expiresAtMs: null });
              const tries: readonly RequestInit[] = [
                { method: "POST", body: form },
                { method: "POST", body: form, mode: "no-cors" },
                { method: "POST", body: form, headers: { "Content-Type": "application/json" } },
              ];
              const answers: string[] = [];
              for (const each of tries)
                answers.push(
                  await fetch(`${url}/keys`, { ...each, credentials: "include" }).then(
                    ({ type, status }) => `${type} ${status}`,
                    () => "refused",
                  ),
                );
              answers.push(
                await fetch(`${url}/keys`, { credentials: "include" }).then(
                  ({ type }) => type,
                  () => "refused",
                ),
              );
              return answers;
            }, api);
            expect(seen).toEqual(
              ["refused", "opaque 403", "refused", "refused"].map((each) =>
                each.startsWith("opaque") ? expect.stringMatching(/^opaque|refused/) : each,
              ),
            );
            const html = `<form method=post enctype=text/plain action="${api}/keys"><input name='{"name":"Foreign","plan":"free","scopes":[],"expiresAtMs":null,"x":"' value='"}'></form>`;
            await page.goto(`http://${host}:${site.port}/?html=${encodeURIComponent(html)}`);
            const [answer] = await Promise.all([
              page.waitForResponse((response) => response.url() === `${api}/keys`),
              page.evaluate<void>("document.forms[0].submit()"),
            ]);
            expect(answer.status()).toBe(403);
            await page.waitForURL(`${api}/keys`);
            const frame = `<iframe src="${fleet.origins[0]}/console/"></iframe>`;
            await page.goto(`http://${host}:${site.port}/?html=${encodeURIComponent(frame)}`);
            await page.frames()[1]?.waitForURL("chrome-error://chromewebdata/");
            expect(page.frames()).toHaveLength(2);
          }
          expect(await keyCount(fleet)).toBe(before);
        }),
      BROWSER_TEST_MS,
    );
  });
});
