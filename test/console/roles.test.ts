import { describe, expect, test } from "bun:test";
import { ROUTES } from "../../src/console/routes.ts";
import { ROLES, type Role } from "../../src/domain/console-role.ts";
import { newSessionSecret, SESSION_LASTS_MS } from "../../src/domain/console-session.ts";
import { digestOf } from "../../src/domain/keys/key.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { ConsoleBrowser, newLink, signedIn } from "../harness/service/console.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

/** The rights of each role, as docs/console.md has them: o is the operator, c a clerk, v a viewer. */
const ALLOWED = `
  GET /session                ocv
  DELETE /session             ocv
  DELETE /sessions            o
  GET /frame                  ocv
  GET /overview               ocv
  GET /keys                   o v
  POST /keys                  o
  GET /keys/:id               o v
  PATCH /keys/:id             o
  DELETE /keys/:id            o
  GET /keys/:id/usage         o v
  GET /keys/:id/requests      o
  GET /keys/:id/requests/:request  o
  POST /keys/:id/rotate       o
  POST /keys/:id/suspend      o
  POST /keys/:id/resume       o
  POST /keys/:id/revoke       o
  POST /keys/:id/unban        o
  GET /animals                ocv
  POST /animals               oc
  GET /animals/:id            ocv
  PATCH /animals/:id          oc
  DELETE /animals/:id         oc
  GET /categories             ocv
  GET /used-categories        ocv
  PUT /categories/:id         oc
  DELETE /categories/:id      oc
  GET /imports                ocv
  POST /imports               oc
  GET /imports/works          ocv
  GET /imports/:id            ocv
  DELETE /imports/:id         oc
  GET /imports/:id/rejected   ocv
  GET /imports/:id/rejected-lines oc
  POST /imports/:id/undo      oc
  GET /export                 o
  GET /orders                 ocv
  GET /orders/:id             ocv
  PATCH /orders/:id           oc
  GET /journal                ocv
`;

/** "GET /keys" → the roles that may. */
const TABLE = new Map(
  ALLOWED.trim()
    .split("\n")
    .map((line) => {
      const [method, path, ...letters] = line.trim().split(/\s+/);
      return [`${method} ${path}`, ROLES.filter((role) => letters.join("").includes(role.charAt(0)))] as const;
    }),
);

const DECLARED = Object.entries(ROUTES).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);

const codeOf = async (response: Response): Promise<string | undefined> =>
  response.status < 400 ? undefined : ((await response.json()) as { code: string }).code;

test("every route of the console is in the table of roles", () => {
  expect(DECLARED.toSorted()).toEqual([...TABLE.keys()].sort());
});

onEveryStore(({ backend, startService, setUp }) => {
  describe("roles", () => {
    let service: TestService;
    setUp(async () => {
      service = await startService();
    });

    test("every route is refused to every role that the table does not name, and to no other", async () => {
      for (const role of ROLES) {
        let browser = await signedIn(service, { role });
        for (const [route, allowed] of TABLE) {
          const response = await browser.call(route.replaceAll(/:\w+/g, "1"));
          const isRefused = response.status === 403;
          expect([role, route, isRefused]).toEqual([role, route, !allowed.includes(role)]);
          if (isRefused) expect(await codeOf(response)).toBe("role_refused");
          else await response.bytes();
          // Signing out is a route, too.
          if (!isRefused && route.startsWith("DELETE /session")) browser = await signedIn(service, { role });
        }
      }
    });

    test("an unknown path is unknown to every role, and a refusal names the role that it takes", async () => {
      for (const role of ROLES) {
        const browser = await signedIn(service, { role });
        expect((await browser.call("GET /secrets")).status).toBe(404);
        expect((await browser.call("PUT /animals")).status).toBe(405);
      }
      const [viewer, clerk] = [await signedIn(service, { role: "viewer" }), await signedIn(service, { role: "clerk" })];
      const messageTo = async (browser: ConsoleBrowser, line: string) =>
        ((await (await browser.call(line)).json()) as { message: string }).message;
      expect(await messageTo(viewer, "POST /animals")).toBe(
        "You are signed in as a viewer, who may not do this. It takes the role operator or clerk: ask for a link by npx animal-store console --role clerk",
      );
      expect(await messageTo(clerk, "GET /keys")).toContain("signed in as a clerk");
      expect(await messageTo(clerk, "GET /export")).toContain("It takes the role operator: ");
    });

    test("a viewer changes nothing, and a clerk animals, categories and orders, under their role in the journal", async () => {
      const operator = await signedIn(service, { role: "operator", name: "Olga" });
      const json = async (browser: ConsoleBrowser, line: string, body?: unknown) =>
        // biome-ignore lint/suspicious/noExplicitAny: whatever the console answers
        (await (await browser.call(line, { body })).json()) as any;
      const form = { name: "Kiosk", plan: "free", scopes: SCOPES, expiresAtMs: null };
      const { key } = await json(operator, "POST /keys", form);
      const animal = await json(operator, "POST /animals", { name: "Rex", categoryId: "7", status: "available" });
      const ordered = await service.withStore((store) =>
        store.orders.place({ animalId: BigInt(animal.id), nowMs: Date.now() }),
      );
      const orderId = ordered.kind === "done" ? ordered.value.id : undefined;
      const ofStock: readonly (readonly [line: string, body?: unknown])[] = [
        ["POST /animals", { name: "Max", categoryId: "7", status: "available" }],
        [`PATCH /animals/${animal.id}`, { name: "Rexi" }],
        ["PUT /categories/7", { name: "Dogs" }],
        ["DELETE /categories/7"],
        [`PATCH /orders/${orderId}`, { status: "approved" }],
        ["POST /imports?name=a.csv", "name,categoryId,status\nTom,8,available\n"],
      ];
      const ofKeys: typeof ofStock = [
        ["POST /keys", { ...form, name: "Another" }],
        [`PATCH /keys/${key.id}`, { name: "Mine" }],
        [`POST /keys/${key.id}/rotate`, { overlapMs: 0 }],
        [`POST /keys/${key.id}/suspend`, {}],
        [`POST /keys/${key.id}/revoke`, { name: "Kiosk" }],
        ["DELETE /sessions"],
      ];
      const entries = () => service.withStore(async ({ journal }) => (await journal.list({ size: 1_000 })).rows);
      const viewer = await signedIn(service, { role: "viewer", name: "Vera" });
      const clerk = await signedIn(service, { role: "clerk", name: "Clara" });
      const before = (await entries()).length;
      for (const [line, body] of [...ofStock, ...ofKeys])
        expect([line, await codeOf(await viewer.call(line, { body }))]).toEqual([line, "role_refused"]);
      for (const [line, body] of ofKeys)
        expect([line, await codeOf(await clerk.call(line, { body }))]).toEqual([line, "role_refused"]);
      expect((await entries()).length).toBe(before);
      for (const [line, body] of ofStock) expect([line, (await clerk.call(line, { body })).ok]).toEqual([line, true]);
      while (!(await json(operator, "GET /imports/works")).every(({ step }: { step: string }) => step === "done"))
        await Bun.sleep(5);
      const made = (await entries()).slice(before);
      expect(new Set(made.map(({ by, role, via }) => `${by} ${role} ${via}`))).toEqual(
        new Set(["Clara clerk console"]),
      );
      expect(made.map(({ action }) => action)).toEqual([
        "animals add",
        "animals update",
        "categories name",
        "categories unname",
        "orders update",
        "animals import",
        "animals import",
      ]);
      const { items } = await json(viewer, "GET /journal");
      expect(items[0]).toMatchObject({ by: "Clara", role: "clerk", via: "console" });
      // For a clerk a key has a name, and nothing else.
      const about = async (browser: ConsoleBrowser) => (await json(browser, `GET /journal?key=${key.id}`)).items[0];
      expect(await about(viewer)).toMatchObject({ subject: { name: "Kiosk" }, after: { plan: "free" } });
      expect(await about(clerk)).toMatchObject({ subject: { name: "Kiosk" }, before: null, after: null });
      expect((await json(clerk, "GET /frame")).keys).toBeNull();
    });

    test("nothing that a browser sends raises a role: not the sign-in, a header, another cookie, or the link again", async () => {
      const token = await newLink(service, { role: "viewer", name: "Vera" });
      const browser = new ConsoleBrowser(service);
      const headers = { "X-Role": "operator", Cookie: "animal_store_console_role=operator; role=operator" };
      expect((await browser.signIn(token, { body: { token, role: "operator", name: "Olga" }, headers })).status).toBe(
        204,
      );
      const roleNow = async () => ((await (await browser.call("GET /session")).json()) as { role: Role }).role;
      expect(await roleNow()).toBe("viewer");
      const own = browser.cookie as string;
      for (const cookie of [`role=operator; ${own}`, `${own}; ${own}`, `${own.replace("=", "_operator=")}; ${own}`]) {
        browser.cookie = cookie;
        const response = await browser.call("GET /keys?role=operator", { headers: { "X-Role": "operator" } });
        expect([cookie, response.status]).toEqual([cookie, 200]);
        expect((await browser.call("POST /keys?role=operator", { body: { role: "operator" } })).status).toBe(403);
        expect(await roleNow()).toBe("viewer");
      }
      browser.cookie = own;
      expect((await new ConsoleBrowser(service).signIn(token)).status).toBe(401);
      expect(await roleNow()).toBe("viewer");
    });

    test("links for several roles of one person, used at once by many browsers, give each role once", async () => {
      const tokens = await Promise.all(ROLES.map((role) => newLink(service, { role, name: "Same" })));
      const browsers = Array.from({ length: 30 }, () => new ConsoleBrowser(service));
      const signedInAs = await Promise.all(
        browsers.map(async (browser, i) => {
          if ((await browser.signIn(tokens[i % 3] as string)).status !== 204) return [];
          const { role } = (await (await browser.call("GET /session")).json()) as { role: Role };
          expect(role).toBe(ROLES[i % 3] as Role);
          return [role];
        }),
      );
      expect(signedInAs.flat().sort()).toEqual([...ROLES].sort());
    });

    test("a session of the previous schema is an operator's, and one of a role that is not known is none", async () => {
      const session = async (columns: string, values: string) => {
        const secret = newSessionSecret(Date.now());
        await backend.query(
          service.storage,
          `INSERT INTO console_sessions (digest, name, expires_at${columns}) VALUES ('${digestOf(secret)}', 'Old', ${Date.now() + SESSION_LASTS_MS}${values})`,
        );
        const browser = new ConsoleBrowser(service);
        browser.cookie = `animal_store_console=${secret}`;
        return browser.call("GET /session");
      };
      expect(await (await session("", "")).json()).toMatchObject({ name: "Old", role: "operator" });
      expect((await session(", role", ", 'auditor'")).status).toBe(401);
    });

    test("signing out one person ends their sessions and links, whatever their roles, and nobody else's", async () => {
      const enter = (name: string, role: Role) => signedIn(service, { name, role });
      const [one, two, other] = [
        await enter("Zoë", "clerk"),
        await enter("Zoë", "viewer"),
        await enter("zoë", "clerk"),
      ];
      const token = await newLink(service, { name: "Zoë" });
      const author = { ...SIGNED, atMs: Date.now() };
      const signOut = () => service.withStore(({ sessions }) => sessions.signOutOf({ name: "Zoë", author }));
      expect(await signOut()).toEqual({ sessions: 2, links: 1 });
      for (const browser of [one, two]) expect((await browser.call("GET /session")).status).toBe(401);
      expect((await new ConsoleBrowser(service).signIn(token)).status).toBe(401);
      expect((await other.call("GET /session")).status).toBe(200);
      const entries = () => service.withStore(async ({ journal }) => (await journal.list({ size: 1_000 })).rows);
      const after = { for: "Zoë", sessionsEnded: 2, linksEnded: 1 };
      expect((await entries()).at(-1)).toMatchObject({ action: "console sign-out", after });
      const count = (await entries()).length;
      expect(await signOut()).toEqual({ sessions: 0, links: 0 });
      expect((await entries()).length).toBe(count);
    });
  });
});
