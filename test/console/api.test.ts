import { describe, expect, test } from "bun:test";
import { LINK_LASTS_MS, newConsoleSecret } from "../../src/domain/console-session.ts";
import { digestOf } from "../../src/domain/keys/key.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import type { Answer } from "../harness/service/console-parts.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

/** Signs in to the console of a service like a browser. */
async function signIn(service: TestService) {
  const token = newConsoleSecret();
  const atMs = Date.now();
  const link = {
    by: "tester",
    via: "command",
    atMs,
    digest: digestOf(token),
    name: "Anna",
    role: "operator",
    expiresAtMs: atMs + LINK_LASTS_MS,
  } as const;
  await service.withStore(({ sessions }) => sessions.makeLink(link));
  const api = `${service.origin}/console/api`;
  const origin = { Origin: service.origin, "Sec-Fetch-Site": "same-origin" };
  const json = { "Content-Type": "application/json" };
  const signed = await fetch(`${api}/session`, {
    method: "POST",
    headers: { ...origin, ...json },
    body: JSON.stringify({ token }),
  });
  expect(signed.status).toBe(204);
  const Cookie = (signed.headers.get("Set-Cookie") ?? "").split(";")[0] as string;
  return async (line: string, body?: object | string): Promise<{ status: number; json: Answer; text: string }> => {
    const [method = "", path = ""] = line.split(" ");
    const isForm = typeof body === "object";
    const response = await fetch(api + path, {
      method,
      headers: { ...origin, Cookie, ...(isForm ? json : {}) },
      ...(body === undefined ? {} : { body: isForm ? JSON.stringify(body) : body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return { status: response.status, json: isJson ? JSON.parse(text) : undefined, text };
  };
}

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  let ask: Awaited<ReturnType<typeof signIn>>;
  setUp(async () => {
    service = await startService();
    ask = await signIn(service);
  });

  describe("the console of a service", () => {
    test("answers the pages: overview, keys, animals, categories, orders and journal", async () => {
      expect((await ask("GET /overview")).json).toMatchObject({
        store: { kind: expect.any(String) },
      });
      const form = { name: "Kiosk", plan: "enterprise", perMinute: 5, perDay: 50, scopes: SCOPES, expiresAtMs: null };
      const issued = await ask("POST /keys", form);
      expect(issued.status).toBe(200);
      const { key, secret } = issued.json;
      expect((await service.call("GET /key", { secret })).status).toBe(200);
      expect((await ask(`PATCH /keys/${key.id}`, { expiresAtMs: Date.now() + 86_400_000 })).status).toBe(200);
      expect((await ask("GET /keys?search=kiosk")).json).toMatchObject({ matching: 1, keys: [{ id: key.id }] });
      expect((await ask(`POST /keys/${key.id}/suspend`)).json).toMatchObject({ state: "suspended" });
      expect((await ask(`POST /keys/${key.id}/revoke`, { name: "x" })).json).toMatchObject({ field: "name" });
      const { json: animal } = await ask("POST /animals", {
        name: "Rex",
        categoryId: "9007199254740993",
        status: "available",
      });
      expect(animal.categoryId).toBe("9007199254740993");
      expect((await ask(`PUT /categories/${animal.categoryId}`, { name: "Dogs" })).status).toBe(200);
      expect((await ask("GET /animals?category=dog")).json.items).toMatchObject([
        { id: animal.id, categoryName: "Dogs" },
      ]);
      expect((await ask(`DELETE /animals/${animal.id}`, { name: "Rex" })).status).toBe(204);
      expect((await ask("PATCH /orders/7", { status: "approved" })).status).toBe(404);
      const { json: journal } = await ask("GET /journal");
      expect(journal.items[0]).toMatchObject({ by: "Anna", via: "console", action: "animals delete" });
    });

    test("takes a file of any size as it arrives, and goes on by itself", async () => {
      const line = `${"Animal ".padEnd(200, "x")},7,available\n`;
      const file = `name,categoryId,status\n${line.repeat(20_000)}`;
      const begun = await ask("POST /imports?name=many.csv&dryRun=true", file);
      expect([begun.status, begun.json.isDryRun]).toEqual([202, true]);
      const until = async (work: string): Promise<Answer> => {
        for (;;) {
          const { json } = await ask(`GET /imports/${work}`);
          if (json.step === "done" || json.step === "refused") return json;
          await Bun.sleep(5);
        }
      };
      expect(await until(begun.json.work)).toMatchObject({ step: "done", animals: 20_000, hasFile: true });
      const made = await ask(`POST /imports?from=${begun.json.work}`);
      expect(await until(made.json.work)).toMatchObject({ step: "done", done: 20_000, importId: "1" });
      const { text } = await ask("GET /export?status=available");
      expect(text.split("\n").length).toBe(20_002);
      expect((await ask("GET /imports")).json).toMatchObject([{ source: "many.csv", state: "finished" }]);
    });
  });
});
