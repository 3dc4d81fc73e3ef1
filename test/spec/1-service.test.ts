import { expect, test } from "bun:test";
import type { TestService } from "../harness/service.ts";
import { onEveryStore } from "../harness/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("1 the service lists animals, filters them, adds one and fetches one", async () => {
    const added = await service.call("POST /pets", { body: { name: "Rex", categoryId: 7, status: "sold" } });
    expect(added.status).toBe(201);
    expect((await service.call("GET /pets")).json).toEqual([added.json]);
    expect((await service.call("GET /pets?status=sold")).json).toEqual([added.json]);
    expect((await service.call("GET /pets?status=pending")).json).toEqual([]);
    expect((await service.call(`GET /pets/${added.json.id}`)).json).toEqual(added.json);
  });

  test("1 Production: the base address ends in v1, and links stay under it", async () => {
    const production = await startService({ env: { PUBLIC_URL: "https://api.example.com/shop/v1/" } });
    const added = await production.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
    await production.call("POST /pets", { body: { name: "Mia", categoryId: 7 } });
    expect(added.headers.get("location")).toBe(`https://api.example.com/shop/v1/pets/${added.json.id}`);
    const page = await production.call("GET /pets?limit=1");
    expect(page.headers.get("link")).toStartWith("<https://api.example.com/shop/v1/pets?limit=1&cursor=");
    const got = await production.call("GET /pets/1");
    expect(got.headers.get("link")).toContain('<https://api.example.com/shop/docs>; rel="deprecation"');
    const document = await production.document();
    expect(document.servers[0].url).toBe("https://api.example.com/shop/v1");
  });

  test("1 Staging: the same program with another base address", async () => {
    const staging = await startService({ env: { PUBLIC_URL: "https://staging.example.com/v1" } });
    const added = await staging.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
    expect(added.headers.get("location")).toBe(`https://staging.example.com/v1/pets/${added.json.id}`);
  });

  test("1 all operations require authentication", async () => {
    for (const line of [
      "GET /pets",
      "POST /pets",
      "GET /pets/1",
      "HEAD /pets",
      "DELETE /pets",
      "GET /nothing",
      "GET /",
    ])
      expect((await service.call(line, { secret: null })).status).toBe(401);
    expect((await fetch(`${service.origin}/v1`)).status).toBe(401);
  });

  test("1 paths outside of the interface answer 404 with an Error and no limits", async () => {
    for (const path of ["/v2/pets", "/pets", "/v10/pets", "/favicon.ico"]) {
      const response = await fetch(service.origin + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ code: "not_found", message: expect.any(String), status: 404 });
    }
  });
});
