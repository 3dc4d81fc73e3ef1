import { describe, expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  const addPet = async (more: object = {}): Promise<number> =>
    (await service.call("POST /pets", { body: { name: "Rex", categoryId: 7, ...more } })).json.id;
  const get = async (id: number) => (await service.call(`GET /pets?id=${id}`)).json[0];
  const update = (id: unknown, body: unknown, headers = {}) => service.call(`PATCH /pets/${id}`, { body, headers });
  const remove = (id: unknown, headers = {}) => service.call(`DELETE /pets/${id}`, { headers });
  const order = async (petId: number, ...moves: string[]): Promise<number> => {
    const { id } = (await service.call("POST /store/orders", { body: { petId } })).json;
    for (const status of moves) await service.call(`PATCH /store/orders/${id}`, { body: { status } });
    return id;
  };

  describe("4.4 updatePet", () => {
    test("4.4 updatePet is PATCH /pets/{petId}: it changes any of name, categoryId and status, and nothing else", async () => {
      const id = await addPet();
      let expected = { id, name: "Rex", categoryId: 7, status: "available" };
      for (const change of [
        { name: "Rexi" },
        { categoryId: 8 },
        { status: "pending" },
        { name: "Mia 🐈", status: "sold" },
        { status: "available", categoryId: -3, name: "  Tom " },
      ]) {
        expected = { ...expected, ...change };
        const { status, json } = await update(id, change);
        expect([status, json]).toEqual([200, expected]);
        expect(await get(id)).toEqual(expected);
      }
    });

    test("4.4 updatePet answers with the tag of what is there now; what changes nothing is 200 with the same one", async () => {
      const id = await addPet();
      const before = (await service.call(`GET /pets?id=${id}`)).headers.get("etag");
      const same = await update(id, { name: "Rex", categoryId: 7, status: "available" });
      expect([same.status, same.headers.get("etag")]).toEqual([200, before]);
      const other = await update(id, { name: "Mia" });
      expect(other.headers.get("etag")).not.toBe(before);
      expect((await service.call(`GET /pets?id=${id}`)).headers.get("etag")).toBe(other.headers.get("etag"));
    });

    test("4.4 updatePet takes every int64 as a category, exactly", async () => {
      const id = await addPet();
      for (const categoryId of ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]) {
        const { text } = await update(id, `{"categoryId":${categoryId}}`);
        expect(text).toBe(`{"id":${id},"name":"Rex","categoryId":${categoryId},"status":"available"}`);
      }
      expect((await update(id, '{"categoryId":9223372036854775808}')).json.code).toBe("invalid_value");
    });

    test("4.4 updatePet with a wrong body answers 400, names the field, and changes nothing", async () => {
      const id = await addPet();
      for (const [body, code, said] of [
        [{}, "missing_field", "The body names nothing to change. Send at least one of name, categoryId, status."],
        [{ name: null }, "invalid_value", '"name" must be a string; it may be left out, but not be null.'],
        [{ categoryId: null }, "invalid_value", '"categoryId" must be an integer'],
        [{ status: null }, "invalid_value", '"status" must be one of available, pending, sold'],
        [{ name: "" }, "invalid_value", '"name"'],
        [{ name: "x".repeat(256) }, "invalid_value", '"name"'],
        [{ name: "a\u0000b" }, "invalid_value", '"name"'],
        [{ name: "\u202egpj.exe" }, "invalid_value", '"name"'],
        [{ categoryId: "7" }, "invalid_value", '"categoryId"'],
        [{ categoryId: 1.5 }, "invalid_value", '"categoryId"'],
        [{ status: "lost" }, "invalid_value", '"status"'],
        [{ name: "Mia", status: "lost" }, "invalid_value", '"status"'],
        [{ id: 1 }, "unknown_field", '"id" is part of the path. Remove it from the body.'],
        [{ name: "Mia", colour: "red" }, "unknown_field", '"colour"'],
        ["[]", "invalid_value", "must be a JSON object"],
        ["null", "invalid_value", "must be a JSON object"],
        ['"Mia"', "invalid_value", "must be a JSON object"],
        ['{"name":"Mia","name":"Tom"}', "invalid_json", '"name" more than once'],
        ["{", "invalid_json", "not valid JSON"],
      ] as const)
        expect((await update(id, body)).json).toMatchObject({
          code,
          status: 400,
          message: expect.stringContaining(said),
        });
      expect((await update(id, "{}", { "Content-Type": "text/plain" })).status).toBe(415);
      expect((await service.call(`PATCH /pets/${id}`)).json).toMatchObject({
        code: "unsupported_media_type",
        message: "The request has no body. Send one JSON object, with Content-Type: application/json.",
      });
      expect((await update(id, { name: "x".repeat(70_000) })).status).toBe(413);
      expect((await service.call(`PATCH /pets/${id}?x=1`, { body: { name: "Mia" } })).json.code).toBe(
        "invalid_parameter",
      );
      expect(await get(id)).toEqual({ id, name: "Rex", categoryId: 7, status: "available" });
    });

    test("4.4 updatePet of no such animal, or of what is no canonical int64, answers 404 pet_not_found", async () => {
      for (const id of ["4711", "0", "-1", "abc", "01", "1.0", "9223372036854775807", "9223372036854775808"])
        expect((await update(id, { name: "Mia" })).json).toMatchObject({ code: "pet_not_found", status: 404 });
    });

    test("4.4 updatePet of an animal in an open order: 409 pet_in_order for its status, 200 for all else", async () => {
      for (const moves of [[], ["approved"]]) {
        const id = await addPet();
        const orderId = await order(id, ...moves);
        for (const status of ["available", "sold"])
          expect((await update(id, { name: "Tom", status })).json).toMatchObject({
            code: "pet_in_order",
            status: 409,
            message: expect.stringContaining("GET /store/orders?petId="),
          });
        expect(await get(id)).toEqual({ id, name: "Rex", categoryId: 7, status: "pending" });
        const { status, json } = await update(id, { name: "Mia", categoryId: 1, status: "pending" });
        expect([status, json]).toEqual([200, { id, name: "Mia", categoryId: 1, status: "pending" }]);
        await service.call(`PATCH /store/orders/${orderId}`, { body: { status: "cancelled" } });
        expect((await update(id, { status: "sold" })).status).toBe(200);
      }
    });

    test("4.4 updatePet: a sold animal that came back is available again, and can be ordered again", async () => {
      const id = await addPet();
      const first = await order(id, "approved", "delivered");
      expect((await update(id, { status: "available" })).status).toBe(200);
      const second = await order(id, "approved", "delivered");
      expect((await get(id)).status).toBe("sold");
      const orders = (await service.call(`GET /store/orders?petId=${id}&status=delivered`)).json;
      expect(orders.map((one: { id: number }) => one.id)).toEqual([first, second]);
    });

    test("4.4 updatePet: an animal is found by its new name at once, and no longer by the old one", async () => {
      const id = await addPet({ name: "ÖLAF the first" });
      const isFoundBy = async (name: string) =>
        (await service.call(`GET /pets?limit=100&name=${encodeURIComponent(name)}`)).json.some(
          (pet: { id: number }) => pet.id === id,
        );
      expect(await isFoundBy("öLaF")).toBe(true);
      await update(id, { name: "Zoë" });
      expect([await isFoundBy("ölaf"), await isFoundBy("ZOE\u0308")]).toEqual([false, true]);
      await update(id, { categoryId: 1 });
      expect(await isFoundBy("zoë")).toBe(true);
      await remove(id);
      expect(await isFoundBy("zoë")).toBe(false);
    });
  });

  describe("4.4 deletePet", () => {
    test("4.4 deletePet is DELETE /pets/{petId}: 204 without a body, and then the animal is gone", async () => {
      const id = await addPet();
      const { status, text, headers } = await remove(id);
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("etag")).toBeNull();
      expect(headers.get("content-type")).toBeNull();
      expect(await get(id)).toBeUndefined();
      expect((await service.call(`GET /pets/${id}`)).status).toBe(404);
      expect((await service.call("POST /store/orders", { body: { petId: id } })).json.code).toBe("invalid_value");
      for (const answer of [await remove(id), await update(id, { name: "Mia" })])
        expect(answer.json).toMatchObject({ code: "pet_not_found", status: 404 });
    });

    test("4.4 deletePet: ids are never reused, not even the last one, nor after a restart", async () => {
      const other = await startService();
      const add = async () => (await other.call("POST /pets", { body: { name: "Rex", categoryId: 1 } })).json.id;
      const [first, second] = [await add(), await add()];
      await other.call(`DELETE /pets/${second}`);
      await other.call(`DELETE /pets/${first}`);
      const third = await add();
      expect(third).toBeGreaterThan(second);
      await other.call(`DELETE /pets/${third}`);
      await other.stop();
      const again = await startService({ env: other.storage, secret: other.boundless });
      const { json } = await again.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
      expect(json.id).toBeGreaterThan(third);
    });

    test("4.4 deletePet of an animal that was ever ordered answers 409 pet_has_orders, and it stays", async () => {
      for (const moves of [[], ["approved"], ["cancelled"], ["approved", "delivered"]]) {
        const id = await addPet();
        await order(id, ...moves);
        const before = await get(id);
        expect((await remove(id)).json).toMatchObject({
          code: "pet_has_orders",
          status: 409,
          message: expect.stringContaining("Correct it with PATCH /pets/{petId}"),
        });
        expect(await get(id)).toEqual(before);
      }
    });

    test("4.4 deletePet of no such animal, or of what is no canonical int64, answers 404 pet_not_found", async () => {
      for (const id of ["4711", "0", "-1", "abc", "01", "1.0", "9223372036854775807", "9223372036854775808"])
        expect((await remove(id)).json).toMatchObject({ code: "pet_not_found", status: 404 });
      expect((await service.call("DELETE /pets/1?force=true")).json.code).toBe("invalid_parameter");
      expect((await service.call("DELETE /pets")).status).toBe(405);
    });

    test("4.4 deletePet: of 20 parallel ones, one gets 204 and the others 404", async () => {
      const id = await addPet();
      const answers = await Promise.all(Array.from({ length: 20 }, () => remove(id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(404)]);
    });

    test("4.4 lists no longer show a removed animal, and pages go on after it", async () => {
      const other = await startService();
      for (let i = 0; i < 6; i++) await other.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
      const first = await other.call("GET /pets?limit=3");
      expect((await other.call("GET /pets?limit=3")).json).toHaveLength(3);
      for (const id of [3, 4]) await other.call(`DELETE /pets/${id}`);
      const ids = async (target: string) =>
        (await other.call(`GET ${target}`)).json.map((pet: { id: number }) => pet.id);
      expect(await ids("/pets?limit=3")).toEqual([1, 2, 5]);
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] as string;
      expect(await ids(next.slice(other.publicUrl.length))).toEqual([5, 6]);
    });
  });

  describe("4.4 both", () => {
    test("4.4 with If-Match: 404 comes before 412, and 412 before 409", async () => {
      const id = await addPet();
      const tag = (await service.call(`GET /pets?id=${id}`)).headers.get("etag") as string;
      const stale = { "If-Match": tag };
      expect((await update(id, { name: "Mia" }, { "If-Match": `"other", ${tag}` })).status).toBe(200);
      await order(id);
      for (const answer of [await update(id, { status: "sold" }, stale), await remove(id, stale)])
        expect(answer.json).toMatchObject({ code: "precondition_failed", status: 412 });
      for (const [answer, code] of [
        [await update(id, { status: "sold" }, { "If-Match": "*" }), "pet_in_order"],
        [await remove(id, { "If-Match": "*" }), "pet_has_orders"],
        [await update(4711, { status: "sold" }, stale), "pet_not_found"],
        [await remove(4711, stale), "pet_not_found"],
      ] as const)
        expect(answer.json.code).toBe(code);
    });

    test("4.4 of 20 updates with one If-Match, one is made: no change is lost", async () => {
      const id = await addPet();
      const tag = (await service.call(`GET /pets?id=${id}`)).headers.get("etag") as string;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => update(id, { name: `Rex ${i}` }, { "If-Match": tag })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
      expect((await get(id)).name).toBe(answers.find(({ status }) => status === 200)?.json.name);
    });

    test("4.4 they need a key, and only GET on their path is deprecated", async () => {
      const id = await addPet();
      for (const method of ["PATCH", "DELETE"])
        expect((await service.call(`${method} /pets/${id}`, { secret: null })).status).toBe(401);
      const answers = [
        await update(id, { name: "Mia" }),
        await update(id, {}),
        await update(4711, { name: "Mia" }),
        await remove(id),
        await remove(id),
        await service.call(`PUT /pets/${id}`, { body: {} }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 204, 404, 405]);
      for (const { headers } of answers)
        expect(["deprecation", "sunset", "link"].map((name) => headers.get(name))).toEqual([null, null, null]);
      expect((await service.call(`GET /pets/${id}`)).headers.get("deprecation")).not.toBeNull();
      const { paths } = await service.document();
      const { get: deprecated, patch, delete: removal } = paths["/pets/{petId}"];
      expect([deprecated, patch, removal].map((one) => one.deprecated ?? false)).toEqual([true, false, false]);
    });
  });
});
