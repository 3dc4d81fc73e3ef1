import { expect, test } from "bun:test";
import type { TestService } from "../harness/service.ts";
import { onEveryStore } from "../harness/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("3 an animal's status is set on creation, and no operation on animals changes it", async () => {
    for (const status of ["available", "pending", "sold"]) {
      const { json } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1, status } });
      for (const method of ["PUT", "PATCH", "POST", "DELETE"])
        expect((await service.call(`${method} /pets/${json.id}`, { body: { status: "sold" } })).status).toBe(405);
      expect((await service.call(`GET /pets/${json.id}`)).json.status).toBe(status);
    }
  });
});
