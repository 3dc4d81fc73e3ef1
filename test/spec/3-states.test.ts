import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const STATUSES = ["available", "pending", "sold"];

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  const addPet = async (status: string): Promise<number> =>
    (await service.call("POST /pets", { body: { name: "Rex", categoryId: 1, status } })).json.id;
  const statusOf = async (id: number): Promise<string> => (await service.call(`GET /pets?id=${id}`)).json[0].status;

  test("3 an animal's status is set on creation, and an update changes it to any other", async () => {
    for (const from of STATUSES)
      for (const to of STATUSES) {
        const id = await addPet(from);
        expect(await statusOf(id)).toBe(from);
        expect((await service.call(`PATCH /pets/${id}`, { body: { status: to } })).status).toBe(200);
        expect(await statusOf(id)).toBe(to);
      }
  });

  test("3 besides that, only orders change it", async () => {
    for (const status of STATUSES) {
      const id = await addPet(status);
      for (const method of ["PUT", "POST"])
        expect((await service.call(`${method} /pets/${id}`, { body: { status: "sold" } })).status).toBe(405);
      await service.call(`PATCH /pets/${id}`, { body: { name: "Mia", categoryId: 2 } });
      await service.call(`GET /pets/${id}`);
      expect(await statusOf(id)).toBe(status);
    }
    const id = await addPet("available");
    const order = (await service.call("POST /store/orders", { body: { petId: id } })).json.id;
    const seen = [await statusOf(id)];
    for (const status of ["approved", "delivered"]) {
      await service.call(`PATCH /store/orders/${order}`, { body: { status } });
      seen.push(await statusOf(id));
    }
    expect(seen).toEqual(["pending", "pending", "sold"]);
  });
});
