import { describe, expect, test } from "bun:test";
import { categoryCalls } from "../harness/requests/categories.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const [INT64_MIN, INT64_MAX] = ["-9223372036854775808", "9223372036854775807"];
const NO_IDS = ["abc", "01", "+1", "1.0", "-0", "1e3", "1%20", "%D9%A1", "9223372036854775808", "-9223372036854775809"];

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  const { put, get, remove } = categoryCalls(() => service);

  describe("4.4 putCategory", () => {
    test("4.4 putCategory answers 201 for a category without a name, and 200 from then on", async () => {
      const named = await put(7, "Dogs");
      expect([named.status, named.json]).toEqual([201, { id: 7, name: "Dogs" }]);
      expect(named.headers.has("location")).toBe(false);
      expect(await put(7, "Dogs")).toMatchObject({ status: 200, json: { id: 7, name: "Dogs" } });
      const renamed = await put(7, "Hounds");
      expect([renamed.status, renamed.json]).toEqual([200, { id: 7, name: "Hounds" }]);
      expect((await get(7)).json).toEqual({ id: 7, name: "Hounds" });
    });

    test("4.4 an id is any int64, at both ends of its range too", async () => {
      for (const id of [INT64_MIN, "-1", "0", "9007199254740993", INT64_MAX]) {
        expect((await put(id, `Category ${id}`)).text).toBe(`{"id":${id},"name":"Category ${id}"}`);
        expect((await get(id)).text).toBe(`{"id":${id},"name":"Category ${id}"}`);
      }
      const { text } = await service.call("GET /categories?limit=100");
      expect(text).toStartWith(`[{"id":${INT64_MIN},`);
      expect(text).toEndWith(`{"id":${INT64_MAX},"name":"Category ${INT64_MAX}"}]`);
    });

    test("4.4 what is no canonical int64 answers 404 category_not_found, whatever the method", async () => {
      for (const id of NO_IDS) {
        for (const answer of [await put(id, "Nothing"), await get(id), await remove(id)])
          expect(answer.json).toMatchObject({ code: "category_not_found", status: 404 });
        expect((await put(id, "Nothing")).json.message).toContain("64-bit integer");
      }
    });

    test("4.4 a name comes back exactly as it was sent", async () => {
      const names = [
        "e\u0301tagère",
        "  Dogs & <cats>  ",
        '"\\/',
        "'; DROP TABLE categories; --",
        "狗 🐕",
        "x".repeat(255),
      ];
      for (const [i, name] of [...names, "🐕".repeat(255), "%_", "ﬁsh"].entries()) {
        expect((await put(100 + i, name)).json).toEqual({ id: 100 + i, name });
        expect((await get(100 + i)).json.name).toBe(name);
      }
    });

    test("4.4 a name obeys the rules for the names of animals, and a wrong body answers 400", async () => {
      const names = ["", " ", "\u200b", "a\u0000b", "a\nb", "\u202eabc", "x".repeat(256), "🐕".repeat(256)];
      for (const name of [...names, 7, null, true, ["Dogs"], { name: "Dogs" }])
        expect((await put(200, name)).json).toMatchObject({
          code: "invalid_value",
          status: 400,
          message: expect.stringContaining('"name"'),
        });
      for (const [body, code] of [
        ['{"name":"\\ud800"}', "invalid_value"],
        ["{}", "missing_field"],
        ['{"name":"Dogs","id":7}', "unknown_field"],
        ['{"name":"Dogs","categoryId":7}', "unknown_field"],
        ['{"name":"Dogs","name":"Dogs"}', "invalid_json"],
        ["[]", "invalid_value"],
        ["{", "invalid_json"],
      ])
        expect((await service.call("PUT /categories/200", { body })).json).toMatchObject({ code, status: 400 });
      const twice = await service.call("PUT /categories/200", { body: { id: 200, name: "Dogs" } });
      expect(twice.json.message).toBe('"id" is part of the path. Remove it from the body.');
      expect((await service.call("PUT /categories/200")).status).toBe(415);
      expect((await service.call("PUT /categories/200", { body: "x".repeat(70_000) })).status).toBe(413);
      for (const line of ["PUT /categories/200?name=x", "GET /categories/200?x=1", "DELETE /categories/200?x=1"])
        expect((await service.call(line, line.startsWith("PUT") ? { body: { name: "Dogs" } } : {})).json).toMatchObject(
          {
            code: "invalid_parameter",
            status: 400,
          },
        );
      expect((await get(200)).status).toBe(404);
    });
  });

  describe("4.4 one name, one category", () => {
    test("4.4 another case or encoding of a name is the same name: 409 category_name_taken names who has it", async () => {
      await put(300, "Élan Vital");
      for (const name of ["Élan Vital", "élan vital", "E\u0301LAN VITAL", "e\u0301lan Vital"]) {
        const { json } = await put(301, name);
        expect(json).toMatchObject({ code: "category_name_taken", status: 409 });
        expect(json.message).toMatch(
          /^Category 300 has this name already.*Choose another name, or first rename category 300/,
        );
      }
      expect((await get(301)).status).toBe(404);
      await put(INT64_MIN, "Lowest");
      expect((await put(301, "LOWEST")).json.message).toContain(`Category ${INT64_MIN} has`);
      await put(302, "Other");
      expect((await put(302, "ÉLAN VITAL")).status).toBe(409);
      expect((await get(302)).json.name).toBe("Other");
    });

    test("4.4 a category may change the case or encoding of its own name", async () => {
      await put(310, "Über");
      for (const name of ["ÜBER", "u\u0308ber", "über"]) {
        expect(await put(310, name)).toMatchObject({ status: 200, json: { name } });
        expect((await get(310)).json.name).toBe(name);
      }
    });

    test("4.4 spaces, accents and ligatures make a name another one", async () => {
      for (const [i, name] of ["Resume", "Résumé", " Resume", "Re sume", "Straße", "Strasse", "ﬁn", "fin"].entries())
        expect((await put(320 + i, name)).status).toBe(201);
    });

    test("4.4 a name is free again once its category was renamed or has lost it", async () => {
      await put(340, "Parrots");
      await put(340, "Macaws");
      expect((await put(341, "PARROTS")).status).toBe(201);
      expect((await put(340, "Parrots")).status).toBe(409);
      await remove(341);
      expect((await put(340, "parrots")).status).toBe(200);
      expect((await put(341, "Macaws")).status).toBe(201);
    });

    test("4.4 of 50 categories that are given one name at once, exactly one gets it", async () => {
      const ids = Array.from({ length: 50 }, (_, i) => 400 + i);
      const answers = await Promise.all(ids.map((id) => put(id, id % 2 ? "Contested" : "CONTESTED")));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ json }) => json.code === "category_name_taken")).toHaveLength(49);
      const winner = answers.find(({ status }) => status === 201)?.json;
      for (const { json } of answers.filter(({ status }) => status === 409))
        expect(json.message).toStartWith(`Category ${winner.id} has`);
      expect((await service.call("GET /categories?name=contested")).json).toEqual([winner]);
    });

    test("4.4 of 50 names that one category is given at once, the first answers 201 and all others 200", async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => put(460, `Many ${i % 5}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
      expect((await service.call("GET /categories?name=many")).json).toHaveLength(1);
    });

    test("4.4 names that are given, swapped and removed at once end in one state that is possible", async () => {
      const ids = [470, 471, 472];
      const work = Array.from({ length: 60 }, (_, i) => {
        const id = ids[i % 3] as number;
        return i % 7 === 0 ? remove(id) : put(id, ["Red", "GREEN", "Blue"][(i * 5 + Math.floor(i / 3)) % 3]);
      });
      for (const { status } of await Promise.all(work)) expect([200, 201, 204, 404, 409]).toContain(status);
      const left = (await Promise.all(ids.map((id) => get(id)))).filter(({ status }) => status === 200);
      const names = left.map(({ json }) => json.name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    });
  });

  describe("4.4 deleteCategory", () => {
    test("4.4 deleteCategory answers 204 without a body, and 404 category_not_found from then on", async () => {
      await put(500, "Temporary");
      const removed = await remove(500);
      expect([removed.status, removed.text, removed.headers.get("content-type")]).toEqual([204, "", null]);
      expect((await remove(500)).json).toMatchObject({ code: "category_not_found", status: 404 });
      expect((await get(500)).json).toMatchObject({ code: "category_not_found", status: 404 });
      expect((await service.call("GET /categories?name=temporary")).json).toEqual([]);
      expect((await put(500, "Temporary")).status).toBe(201);
    });

    test("4.4 an animal is of any category, named or not, keeps its number, and has its four fields", async () => {
      const pet = async (): Promise<string> => (await service.call("GET /pets?categoryId=510")).text;
      const { json } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 510 } });
      const before = await pet();
      expect(JSON.parse(before)).toEqual([{ id: json.id, name: "Rex", categoryId: 510, status: "available" }]);
      expect((await put(510, "Rexes")).status).toBe(201);
      expect(await pet()).toBe(before);
      expect((await remove(510)).status).toBe(204);
      expect(await pet()).toBe(before);
      for (const categoryId of [INT64_MIN, "0", INT64_MAX]) {
        const { text } = await service.call("POST /pets", { body: `{"name":"Rex","categoryId":${categoryId}}` });
        expect(text).toMatch(new RegExp(`^{"id":\\d+,"name":"Rex","categoryId":${categoryId},"status":"available"}$`));
      }
    });
  });

  test("4.4 reading categories needs the scope pets:read, and changing them pets:write", async () => {
    const [reader, seller] = [
      await service.issueKey({ scopes: ["pets:read"] }),
      await service.issueKey({ scopes: ["orders:read", "orders:write"] }),
    ];
    const body = { name: "Scoped" };
    for (const line of ["GET /categories", "GET /categories/790"]) {
      expect((await service.call(line, reader)).status).not.toBe(403);
      expect((await service.call(line, seller)).json).toMatchObject({ code: "insufficient_scope", status: 403 });
    }
    for (const { secret } of [reader, seller]) {
      expect((await service.call("PUT /categories/790", { secret, body })).status).toBe(403);
      expect((await service.call("DELETE /categories/790", { secret })).status).toBe(403);
    }
    expect((await get(790)).status).toBe(404);
  });

  test("4.4 the operations on categories need a key, and know no other methods", async () => {
    await put(800, "Headed");
    for (const line of ["GET /categories", "GET /categories/800", "PUT /categories/800", "DELETE /categories/800"])
      expect((await service.call(line, { secret: null })).status).toBe(401);
    for (const target of ["/categories", "/categories/800"]) {
      const head = await service.call(`HEAD ${target}`);
      const { headers } = await service.call(`GET ${target}`);
      expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", headers.get("etag")]);
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      expect((await service.call(`${method} /categories`)).headers.get("allow")).toBe("GET, HEAD");
    for (const method of ["POST", "PATCH", "OPTIONS"])
      expect((await service.call(`${method} /categories/800`)).headers.get("allow")).toBe("GET, HEAD, PUT, DELETE");
    for (const target of ["/categories/", "/categories/800/", "/categories/800/pets"])
      expect((await service.call(`GET ${target}`)).json).toMatchObject({ code: "not_found", status: 404 });
  });
});
