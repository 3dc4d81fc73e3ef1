import { expect, test } from "bun:test";
import type { TestService } from "../harness/service.ts";
import { onEveryStore } from "../harness/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("4.4 there are no operations to update or delete animals: 405 with Allow", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "POST"]) {
      const { json, headers } = await service.call(`${method} /pets/1`, { body: {} });
      expect(json).toMatchObject({ code: "method_not_allowed", status: 405 });
      expect(headers.get("allow")).toBe("GET, HEAD");
    }
  });

  test("4.4 there are no operations on categories: 404", async () => {
    for (const method of ["GET", "POST", "DELETE"])
      expect((await service.call(`${method} /categories`)).json).toMatchObject({ code: "not_found", status: 404 });
  });
});
