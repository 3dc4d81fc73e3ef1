import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  /** "A-7" and "a-7" are two references. */
  const REFERENCES = ["A-7", "a-7", "日本 & 7/%_", undefined];
  let service: TestService;
  setUp(async () => {
    service = await startService();
    for (let i = 0; i < 16; i++) {
      const { json } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
      const placed = await service.call("POST /store/orders", {
        body: { petId: json.id, reference: REFERENCES[i % 4] },
      });
      if (i % 3 === 0) await service.call(`PATCH /store/orders/${placed.json.id}`, { body: { status: "cancelled" } });
      if (i % 3 === 1) await service.call(`PATCH /store/orders/${placed.json.id}`, { body: { status: "approved" } });
    }
    await service.call("POST /store/orders", { body: { petId: 1, reference: "A-7" } });
  });

  const nextOf = (headers: Headers): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  async function idsOf(target: string): Promise<number[]> {
    const ids: number[] = [];
    for (let next: string | undefined = `${service.publicUrl}/store/orders?${target}`; next; ) {
      const page = await service.call(`GET ${next.slice(service.publicUrl.length)}`);
      expect(page.status).toBe(200);
      ids.push(...page.json.map((order: { id: number }) => order.id));
      next = nextOf(page.headers);
    }
    return ids;
  }

  test("4.4 listOrders: sort=-id has the newest first, with status, petId, both, or reference", async () => {
    for (const filter of [
      "",
      "&status=cancelled",
      "&petId=1",
      "&petId=1&status=placed",
      "&reference=A-7",
      "&reference=A-7&status=placed",
    ]) {
      const ascending = await idsOf(`limit=100${filter}`);
      expect(ascending.length).toBeGreaterThan(0);
      for (const limit of [1, 2, 100]) {
        expect(await idsOf(`limit=${limit}&sort=id${filter}`)).toEqual(ascending);
        expect(await idsOf(`limit=${limit}&sort=-id${filter}`)).toEqual(ascending.toReversed());
      }
    }
  });

  test("4.4 listOrders: reference is exact, and goes with status", async () => {
    expect(await idsOf("reference=A-7&limit=2")).toEqual([1, 5, 9, 13, 17]);
    expect(await idsOf("reference=a-7")).toEqual([2, 6, 10, 14]);
    expect(await idsOf(`reference=${encodeURIComponent("日本 & 7/%_")}`)).toEqual([3, 7, 11, 15]);
    expect(await idsOf("reference=A-7&status=placed")).toEqual([9, 17]);
    for (const none of ["A-", "A-77", "%25", encodeURIComponent("A-7 ")])
      expect(await idsOf(`reference=${none}`)).toEqual([]);
    const { json } = await service.call("GET /store/orders?reference=a-7&limit=1");
    expect(json).toMatchObject([{ id: 2, petId: 2, reference: "a-7" }]);
  });

  test("4.4 listOrders: Link keeps sort and reference, and the cursor is last", async () => {
    const { headers } = await service.call("GET /store/orders?sort=-id&reference=A-7&limit=1");
    expect(nextOf(headers)).toBe(
      `${service.publicUrl}/store/orders?limit=1&sort=-id&reference=A-7&cursor=0000000000000011`,
    );
  });

  test("4.4 listOrders: reference beside petId, and what is no reference, answer 400 invalid_parameter", async () => {
    for (const target of ["reference=A-7&petId=1", "petId=1&status=placed&reference=A-7"])
      expect((await service.call(`GET /store/orders?${target}`)).json).toMatchObject({
        code: "invalid_parameter",
        status: 400,
        message: 'The query parameter "reference" cannot be combined with "petId": leave one of the two out.',
      });
    for (const reference of ["", "%20", "a%00", "%E2%80%AE", "x".repeat(101)])
      expect((await service.call(`GET /store/orders?reference=${reference}`)).json).toMatchObject({
        code: "invalid_parameter",
        status: 400,
        message: expect.stringContaining('The query parameter "reference" must'),
      });
    for (const sort of ["", "placedAt", "-ID"])
      expect((await service.call(`GET /store/orders?sort=${sort}`)).json.message).toBe(
        'The query parameter "sort" must be one of id, -id.',
      );
  });
});
