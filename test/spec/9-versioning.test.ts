import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("9.1 the version is the segment v1 of the base address", async () => {
    expect(service.publicUrl).toEndWith("/v1");
    expect((await service.call("GET /pets")).status).toBe(200);
    expect((await fetch(`${service.origin}/v2/pets`)).status).toBe(404);
  });

  test("9.1 the interface description has version 1.0.0", async () => {
    const document = await service.document();
    expect(document.info.version).toBe("1.0.0");
  });

  test("9.2 GET /pets/{petId} is deprecated and removed on 5 December 2030", async () => {
    const document = await service.document();
    expect(document.paths["/pets/{petId}"].get.deprecated).toBe(true);
    const { headers } = await service.call("GET /pets/1");
    expect(Date.parse(headers.get("sunset") as string)).toBe(Date.UTC(2030, 11, 5));
  });

  test("9.3 the policy for breaking changes stands in the document", async () => {
    const document = await service.document();
    expect(document.info.description).toContain("v1 only grows");
  });
});
