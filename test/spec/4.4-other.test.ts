import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("4.4 an animal or an order is not replaced as a whole, and an order is not removed: 405 with Allow", async () => {
    for (const [line, allow] of [
      ["PUT /pets/1", "GET, HEAD, PATCH, DELETE"],
      ["POST /pets/1", "GET, HEAD, PATCH, DELETE"],
      ["PUT /store/orders/1", "GET, HEAD, PATCH"],
      ["POST /store/orders/1", "GET, HEAD, PATCH"],
      ["DELETE /store/orders/1", "GET, HEAD, PATCH"],
      ["DELETE /pets", "GET, HEAD, POST"],
      ["PATCH /pets", "GET, HEAD, POST"],
    ] as const) {
      const { json, headers } = await service.call(line, { body: {} });
      expect(json).toMatchObject({ code: "method_not_allowed", status: 405 });
      expect([line, headers.get("allow")]).toEqual([line, allow]);
    }
  });
});
