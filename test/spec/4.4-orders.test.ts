import { describe, expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

onEveryStore(({ startService, setUp }) => {
  const clock = new FakeClock();
  let service: TestService;
  setUp(async () => {
    service = await startService({ clock });
  });

  const addPet = async (status = "available"): Promise<number> =>
    (await service.call("POST /pets", { body: { name: "Rex", categoryId: 7, status } })).json.id;
  const place = (petId: unknown) => service.call("POST /store/orders", { body: { petId } });
  const move = (orderId: unknown, status: unknown) =>
    service.call(`PATCH /store/orders/${orderId}`, { body: { status } });
  const statusOf = async (petId: number): Promise<string> =>
    (await service.call(`GET /pets?id=${petId}`)).json[0].status;

  describe("4.4 placeOrder", () => {
    test("4.4 placeOrder answers 201 with the order, and the animal is pending at once", async () => {
      const petId = await addPet();
      const { status, json, headers } = await place(petId);
      expect(status).toBe(201);
      const now = new Date(clock.nowMs()).toISOString();
      expect(json).toEqual({ id: expect.any(Number), petId, status: "placed", placedAt: now, updatedAt: now });
      expect(headers.get("location")).toBe(`${service.publicUrl}/store/orders/${json.id}`);
      expect(await statusOf(petId)).toBe("pending");
      expect(
        (await service.call("GET /pets?status=pending&limit=100")).json.map((pet: { id: number }) => pet.id),
      ).toContain(petId);
    });

    test("4.4 placeOrder for an animal that is not available answers 409 pet_not_available", async () => {
      const petId = await addPet();
      await place(petId);
      for (const id of [petId, await addPet("pending"), await addPet("sold")])
        expect((await place(id)).json).toMatchObject({ code: "pet_not_available", status: 409 });
    });

    test("4.4 placeOrder for no such animal answers 400 invalid_value", async () => {
      for (const petId of ["4711", "0", "-1", "9223372036854775807"])
        expect((await service.call("POST /store/orders", { body: `{"petId":${petId}}` })).json).toMatchObject({
          code: "invalid_value",
          status: 400,
          message: expect.stringContaining('"petId"'),
        });
    });

    test("4.4 placeOrder with a wrong body answers as createPet does", async () => {
      expect((await place(undefined)).json.code).toBe("missing_field");
      for (const petId of ["1", 1.5, null]) expect((await place(petId)).json.code).toBe("invalid_value");
      expect((await service.call("POST /store/orders", { body: { petId: 1, status: "placed" } })).json.code).toBe(
        "unknown_field",
      );
      expect((await service.call("POST /store/orders", { body: "{" })).json.code).toBe("invalid_json");
      expect((await service.call("POST /store/orders?x=1", { body: { petId: 1 } })).json.code).toBe(
        "invalid_parameter",
      );
      expect(
        (await service.call("POST /store/orders", { body: "{}", headers: { "Content-Type": "text/plain" } })).status,
      ).toBe(415);
      expect((await service.call("POST /store/orders", { body: "x".repeat(70_000) })).status).toBe(413);
    });

    test("4.4 of 100 parallel orders for one animal exactly one gets 201 and 99 get 409", async () => {
      const petId = await addPet();
      const answers = await Promise.all(Array.from({ length: 100 }, () => place(petId)));
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.filter((answer) => answer.json.code === "pet_not_available")).toHaveLength(99);
      expect((await service.call(`GET /store/orders?petId=${petId}`)).json).toHaveLength(1);
    });
  });

  describe("4.4 a reference of the caller's own", () => {
    const placeWith = async (reference: unknown) =>
      service.call("POST /store/orders", { body: { petId: await addPet(), reference } });

    test("4.4 an order has the reference that it was placed with, wherever it is shown", async () => {
      for (const reference of ["INV-2026-0042", "a", "x".repeat(100), "🐾".repeat(100), ' "quoted" \\ 日本 ']) {
        const { status, json } = await placeWith(reference);
        expect([status, json.reference]).toEqual([201, reference]);
        expect((await service.call(`GET /store/orders/${json.id}`)).json).toEqual(json);
        expect((await service.call(`GET /store/orders?petId=${json.petId}`)).json).toEqual([json]);
        expect((await move(json.id, "approved")).json.reference).toBe(reference);
      }
    });

    test("4.4 where none was given it is left out, and several orders may have the same one", async () => {
      const { text, json } = await placeWith(undefined);
      expect(text).not.toContain("reference");
      expect((await service.call(`GET /store/orders/${json.id}`)).text).toBe(text);
      const [first, second] = [await placeWith("twice"), await placeWith("twice")];
      expect([first.status, second.status]).toEqual([201, 201]);
    });

    test("4.4 what is no reference answers 400 invalid_value, and no order is placed", async () => {
      const petId = await addPet();
      for (const reference of [
        "",
        " ",
        "x".repeat(101),
        "🐾".repeat(101),
        "a\nb",
        "\u202ea",
        "\u200b",
        7,
        null,
        {},
        ["a"],
      ])
        expect((await service.call("POST /store/orders", { body: { petId, reference } })).json).toMatchObject({
          code: "invalid_value",
          status: 400,
          message: expect.stringContaining('"reference"'),
        });
      expect(await statusOf(petId)).toBe("available");
      const { id } = (await place(petId)).json;
      expect((await service.call(`PATCH /store/orders/${id}`, { body: { reference: "x" } })).json.status).toBe(400);
    });
  });

  describe("4.4 getOrder", () => {
    test("4.4 getOrder is what the Location of an order names, as it is now", async () => {
      const { json: placed, headers } = await place(await addPet());
      const target = (headers.get("location") as string).slice(service.publicUrl.length);
      const { status, json } = await service.call(`GET ${target}`);
      expect([status, json]).toEqual([200, placed]);
      clock.advance(1_000);
      const { json: approved } = await move(placed.id, "approved");
      expect((await service.call(`GET ${target}`)).json).toEqual(approved);
      expect((await service.call(`GET ${target}`)).json).toEqual(approved);
      await move(placed.id, "cancelled");
      expect((await service.call(`GET ${target}`)).json.status).toBe("cancelled");
      const head = await service.call(`HEAD ${target}`);
      expect([head.status, head.text]).toEqual([200, ""]);
    });

    test("4.4 getOrder for an unknown order or what is no canonical int64 answers 404 order_not_found", async () => {
      for (const orderId of ["4711", "0", "-1", "abc", "01", "1.0", "9223372036854775807", "9223372036854775808"])
        expect((await service.call(`GET /store/orders/${orderId}`)).json).toMatchObject({
          code: "order_not_found",
          status: 404,
        });
      expect((await service.call("GET /store/orders/1?x=1")).json.code).toBe("invalid_parameter");
    });

    test("4.4 getOrder has the order's tag, which changes with it, and If-Match on updateOrder goes by it", async () => {
      const { json } = await place(await addPet());
      const tagOf = async () => (await service.call(`GET /store/orders/${json.id}`)).headers.get("etag") as string;
      const before = await tagOf();
      const moveIf = (status: string, tag: string) =>
        service.call(`PATCH /store/orders/${json.id}`, { body: { status }, headers: { "If-Match": tag } });
      const approved = await moveIf("approved", before);
      expect([approved.status, approved.headers.get("etag")]).toEqual([200, await tagOf()]);
      expect(await tagOf()).not.toBe(before);
      for (const status of ["cancelled", "placed"])
        expect((await moveIf(status, before)).json).toMatchObject({ code: "precondition_failed", status: 412 });
      expect((await moveIf("placed", await tagOf())).json.code).toBe("invalid_transition");
      expect((await moveIf("cancelled", "*")).status).toBe(200);
      const unknown = { body: { status: "approved" }, headers: { "If-Match": before } };
      expect((await service.call("PATCH /store/orders/4711", unknown)).status).toBe(404);
    });
  });

  describe("4.4 updateOrder", () => {
    test("4.4 updateOrder: placed → approved → delivered, and the animal is sold", async () => {
      const petId = await addPet();
      const { json: placed } = await place(petId);
      clock.advance(60_000);
      const { status, json: approved } = await move(placed.id, "approved");
      expect(status).toBe(200);
      expect(approved).toEqual({ ...placed, status: "approved", updatedAt: new Date(clock.nowMs()).toISOString() });
      expect(await statusOf(petId)).toBe("pending");
      expect((await move(placed.id, "delivered")).json.status).toBe("delivered");
      expect(await statusOf(petId)).toBe("sold");
    });

    test("4.4 updateOrder: cancelled from placed or approved, and the animal is available again", async () => {
      const petId = await addPet();
      const first = (await place(petId)).json;
      expect((await move(first.id, "cancelled")).status).toBe(200);
      expect(await statusOf(petId)).toBe("available");
      const second = (await place(petId)).json;
      await move(second.id, "approved");
      expect((await move(second.id, "cancelled")).status).toBe(200);
      expect(await statusOf(petId)).toBe("available");
      expect(second.id).toBeGreaterThan(first.id);
    });

    test("4.4 updateOrder: any other move answers 409 invalid_transition and changes nothing", async () => {
      const path: Record<string, string[]> = {
        placed: [],
        approved: ["approved"],
        delivered: ["approved", "delivered"],
        cancelled: ["cancelled"],
      };
      const allowed: Record<string, string[]> = {
        placed: ["approved", "cancelled"],
        approved: ["delivered", "cancelled"],
        delivered: [],
        cancelled: [],
      };
      for (const [from, moves] of Object.entries(path)) {
        const petId = await addPet();
        const { id } = (await place(petId)).json;
        for (const status of moves) await move(id, status);
        const before = [await statusOf(petId), (await service.call(`GET /store/orders?petId=${petId}`)).json];
        for (const to of ["placed", "approved", "delivered", "cancelled"].filter(
          (status) => !allowed[from]?.includes(status),
        ))
          expect((await move(id, to)).json).toMatchObject({
            code: "invalid_transition",
            status: 409,
            message: expect.stringContaining(
              from === to ? `This order is ${from} already. ` : `This order is ${from} and cannot become ${to}. `,
            ),
          });
        expect([await statusOf(petId), (await service.call(`GET /store/orders?petId=${petId}`)).json]).toEqual(before);
      }
    });

    test("4.4 updateOrder for an unknown order or what is no canonical int64 answers 404 order_not_found", async () => {
      for (const orderId of ["4711", "0", "-1", "abc", "01", "1.0", "9223372036854775808"])
        expect((await move(orderId, "approved")).json).toMatchObject({ code: "order_not_found", status: 404 });
    });

    test("4.4 updateOrder with a wrong body answers 400 and names the field", async () => {
      const { id } = (await place(await addPet())).json;
      for (const [body, code] of [
        [{}, "missing_field"],
        [{ status: "lost" }, "invalid_value"],
        [{ status: null }, "invalid_value"],
        [{ status: "approved", petId: 1 }, "unknown_field"],
      ] as const)
        expect((await service.call(`PATCH /store/orders/${id}`, { body })).json).toMatchObject({ code, status: 400 });
      expect((await service.call(`PATCH /store/orders/${id}`)).status).toBe(415);
    });

    test("4.4 updateOrder: of an approval and a cancellation that race, the outcome is one of the two orders", async () => {
      for (let round = 0; round < 20; round++) {
        const petId = await addPet();
        const { id } = (await place(petId)).json;
        const racing = ["approved", "cancelled", "approved", "cancelled", "delivered"].map((status) =>
          move(id, status),
        );
        const answers = await Promise.all(racing);
        const final = (await service.call(`GET /store/orders?petId=${petId}`)).json[0].status;
        const moved = answers.filter((answer) => answer.status === 200).map((answer) => answer.json.status);
        expect(new Set(moved).size).toBe(moved.length);
        expect(moved).toContain(final);
        expect(await statusOf(petId)).toBe(
          { approved: "pending", delivered: "sold", cancelled: "available" }[final as string] as string,
        );
      }
    });
  });

  describe("4.4 listOrders", () => {
    test("4.4 listOrders is GET /store/orders: a bare array by ascending id, paged by Link, filtered by status and petId", async () => {
      const other = await startService();
      const orders: number[] = [];
      for (let i = 1; i <= 12; i++) {
        await other.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
        orders.push((await other.call("POST /store/orders", { body: { petId: i } })).json.id);
      }
      for (const id of orders.filter((_, i) => i % 2))
        await other.call(`PATCH /store/orders/${id}`, { body: { status: "cancelled" } });
      await other.call("POST /store/orders", { body: { petId: 2 } });

      const idsOf = async (target: string): Promise<number[]> => {
        const ids: number[] = [];
        for (let next: string | undefined = target; next; ) {
          const page = await other.call(`GET ${next}`);
          ids.push(...page.json.map((order: { id: number }) => order.id));
          next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]?.slice(other.publicUrl.length);
        }
        return ids;
      };
      expect(await idsOf("/store/orders?limit=5")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
      expect(await idsOf("/store/orders?status=cancelled&limit=4")).toEqual([2, 4, 6, 8, 10, 12]);
      expect(await idsOf("/store/orders?petId=2&limit=1")).toEqual([2, 13]);
      expect(await idsOf("/store/orders?petId=2&status=placed")).toEqual([13]);
      expect(await idsOf("/store/orders?petId=4711")).toEqual([]);
      expect((await other.call("GET /store/orders")).json).toHaveLength(13);
    });

    test("4.4 listOrders with a wrong or unknown parameter answers 400 invalid_parameter", async () => {
      for (const query of ["limit=0", "status=sold", "petId=x", "petId=1&petId=2", "cursor=x", "id=1"])
        expect((await service.call(`GET /store/orders?${query}`)).json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
        });
    });

    test("4.4 the operations on orders need a key, and know no other methods", async () => {
      for (const line of ["GET /store/orders", "POST /store/orders", "GET /store/orders/1", "PATCH /store/orders/1"])
        expect((await service.call(line, { secret: null })).status).toBe(401);
      expect((await service.call("DELETE /store/orders")).headers.get("allow")).toBe("GET, HEAD, POST");
      expect((await service.call("DELETE /store/orders/1")).headers.get("allow")).toBe("GET, HEAD, PATCH");
      expect((await service.call("HEAD /store/orders")).status).toBe(200);
      expect((await service.call("GET /store")).status).toBe(404);
    });
  });
});
