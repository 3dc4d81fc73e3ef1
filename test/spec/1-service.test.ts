import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

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
    const staging = await startService({
      env: { ENVIRONMENT: "staging", PUBLIC_URL: "https://staging.example.com/v1" },
    });
    const added = await staging.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
    expect(added.headers.get("location")).toBe(`https://staging.example.com/v1/pets/${added.json.id}`);
  });

  test("1 the document offers both base addresses, its own first, and says which is which", async () => {
    const addresses = { production: "https://api.example.com/v1", staging: "https://staging.example.com/v1" };
    const production = await startService({
      env: { PUBLIC_URL: addresses.production, STAGING_URL: addresses.staging },
    });
    expect((await production.document()).servers).toEqual([
      { url: addresses.production, description: "Production: this service" },
      {
        url: addresses.staging,
        description: expect.stringMatching(/^Staging: .*https:\/\/staging.example.com\/docs$/),
      },
    ]);
    const staging = await startService({
      env: { ENVIRONMENT: "staging", PUBLIC_URL: addresses.staging, PRODUCTION_URL: addresses.production },
    });
    const document = await staging.document();
    expect(document.servers).toEqual([
      { url: addresses.staging, description: "Staging: this service" },
      {
        url: addresses.production,
        description: expect.stringMatching(/^Production: .*https:\/\/api.example.com\/docs$/),
      },
    ]);
    expect(document.info.description).toStartWith("**This is staging**");
    const { servers, info } = await service.document();
    expect(servers).toEqual([{ url: service.publicUrl, description: "Production: this service" }]);
    expect(info.description).not.toContain("This is staging");
  });

  test("1 in both, the interface is the same but for its addresses", async () => {
    const staging = await startService({ env: { ENVIRONMENT: "staging" } });
    const interfaceOf = async (of: TestService) => {
      const { servers, info, ...rest } = await of.document();
      return JSON.stringify(rest).replaceAll(of.origin, "");
    };
    expect(await interfaceOf(staging)).toBe(await interfaceOf(service));
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
    for (const path of ["/v2/pets", "/pets", "/v10/pets", "/nowhere"]) {
      const response = await fetch(service.origin + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ code: "not_found", message: expect.any(String), status: 404 });
    }
  });
});
