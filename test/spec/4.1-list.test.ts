import { describe, expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
    for (let i = 1; i <= 45; i++)
      await service.call("POST /pets", {
        body: { name: `Animal ${i}`, categoryId: i, status: i % 3 === 0 ? "sold" : "available" },
      });
  });

  const ids = (pets: { id: number }[]): number[] => pets.map((pet) => pet.id);
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const nextOf = (headers: Headers): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];

  /** Follows Link headers from a first page to the last. */
  async function allPages(from: TestService, target: string): Promise<number[][]> {
    const pages: number[][] = [];
    for (let next: string | undefined = `${from.publicUrl}${target}`; next; ) {
      const page = await from.call(`GET ${next.slice(from.publicUrl.length)}`);
      expect(page.status).toBe(200);
      pages.push(ids(page.json));
      next = nextOf(page.headers);
    }
    return pages;
  }

  test("4.1 listPets is GET /pets, without a request body", async () => {
    expect((await service.call("GET /pets")).status).toBe(200);
  });

  describe("4.1 limit", () => {
    test("4.1 limit is 20 by default", async () => {
      expect(ids((await service.call("GET /pets")).json)).toEqual(range(1, 20));
    });

    test("4.1 limit is 1 at the least and 100 at the most", async () => {
      expect((await service.call("GET /pets?limit=1")).json).toHaveLength(1);
      expect((await service.call("GET /pets?limit=100")).json).toHaveLength(45);
    });

    test("4.1 limit outside of its bounds or not a plain integer answers 400 invalid_parameter", async () => {
      for (const limit of [
        "0",
        "101",
        "-1",
        "abc",
        "1.0",
        "+5",
        "%2B5",
        "05",
        "",
        "1e1",
        "%31%00",
        "9".repeat(400),
        "٣",
      ]) {
        const { json } = await service.call(`GET /pets?limit=${limit}`);
        expect(json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
          message: expect.stringContaining('"limit"'),
        });
      }
    });
  });

  describe("4.1 status", () => {
    test("4.1 status returns only animals with this status", async () => {
      const { json } = await service.call("GET /pets?status=sold&limit=100");
      expect(json).toHaveLength(15);
      for (const pet of json) expect(pet.status).toBe("sold");
      expect((await service.call("GET /pets?status=pending")).json).toEqual([]);
    });

    test("4.1 status that is none of the three answers 400 invalid_parameter", async () => {
      for (const status of ["", "Sold", "lost", "sold,pending", "sold%20"]) {
        const { json } = await service.call(`GET /pets?status=${status}`);
        expect(json).toMatchObject({ code: "invalid_parameter", message: expect.stringContaining('"status"') });
      }
    });
  });

  describe("4.1 the list is paginated", () => {
    test("4.1 Link leads through all pages in ascending order, each animal once, and is absent on the last", async () => {
      expect(await allPages(service, "/pets")).toEqual([range(1, 20), range(21, 40), range(41, 45)]);
      expect(await allPages(service, "/pets?limit=45")).toEqual([range(1, 45)]);
      const sold = await allPages(service, "/pets?status=sold&limit=7");
      expect(sold.map((page) => page.length)).toEqual([7, 7, 1]);
      expect(sold.flat()).toEqual(range(1, 45).filter((id) => id % 3 === 0));
    });

    test("4.1 Link has the same size and filters, and the cursor last", async () => {
      const other = await startService();
      for (let i = 0; i < 2; i++) await other.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
      const page = await other.call("GET /pets?id=2&id=1&categoryId=7&status=available&limit=1");
      expect(nextOf(page.headers)).toBe(
        `${other.publicUrl}/pets?limit=1&status=available&categoryId=7&id=2&id=1&cursor=0000000000000001`,
      );
    });

    test("4.1 pages are stable while animals are added", async () => {
      const other = await startService();
      const add = () => other.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
      for (let i = 0; i < 4; i++) await add();
      const first = await other.call("GET /pets?limit=3");
      await add();
      const second = await other.call(`GET ${nextOf(first.headers)?.slice(other.publicUrl.length)}`);
      expect([...ids(first.json), ...ids(second.json)]).toEqual([1, 2, 3, 4, 5]);
    });

    test("4.1 a cursor that was not given out answers 400 invalid_parameter", async () => {
      for (const cursor of [
        "",
        "abc",
        "YWZ0ZXI6",
        "YWZ0ZXI6MDE",
        "YWZ0ZXI6NDI=",
        "YWZ0ZXI6OTIyMzM3MjAzNjg1NDc3NTgwOA",
        "x".repeat(5000),
      ])
        expect((await service.call(`GET /pets?cursor=${cursor}`)).json).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining('"cursor"'),
        });
    });
  });

  test("4.1 a query that is not percent-encoded UTF-8 answers 400, whatever the list, instead of finding nothing", async () => {
    for (const query of [
      "name=M%FCller",
      "name=%",
      "name=%zz",
      "name=100%",
      "%",
      "name=%ED%A0%80",
      "name=%C3",
      "%FC=1",
    ])
      for (const path of ["/pets", "/categories", "/store/orders"])
        expect([query, (await service.call(`GET ${path}?${query}`)).json]).toEqual([
          query,
          {
            code: "invalid_parameter",
            message:
              "The query is not valid percent-encoded UTF-8. Send, for example, M%C3%BCller for Müller, and %25 for a percent sign.",
            status: 400,
          },
        ]);
    for (const query of ["name=M%C3%BCller", "name=100%25", "name=a+b", "na%6De=x", "name=%EF%BF%BD"])
      expect((await service.call(`GET /pets?${query}`)).status).toBe(200);
  });

  test("4.1 an unknown or repeated query parameter answers 400 and is named", async () => {
    for (const [query, name] of [
      ["page=2", '"page"'],
      ["Limit=1", '"Limit"'],
      ["limit=1&limit=1", '"limit"'],
      ["=1", '""'],
      ["__proto__=1", '"__proto__"'],
    ])
      expect((await service.call(`GET /pets?${query}`)).json).toMatchObject({
        code: "invalid_parameter",
        message: expect.stringContaining(name as string),
      });
    expect((await service.call("GET /pets?")).status).toBe(200);
  });

  describe("4.1 additions: id and categoryId", () => {
    test("4.1 id, repeated, returns just these animals, as far as they exist", async () => {
      expect(ids((await service.call("GET /pets?id=7&id=3&id=3&id=4711&id=-1")).json)).toEqual([3, 7]);
      expect(ids((await service.call("GET /pets?id=3&id=4&status=sold")).json)).toEqual([3]);
      expect(ids((await service.call("GET /pets?id=3&id=4&categoryId=4")).json)).toEqual([4]);
      expect((await service.call("GET /pets?id=9223372036854775807&id=-9223372036854775808")).json).toEqual([]);
    });

    test("4.1 id is paged as any list", async () => {
      const target = `/pets?limit=2&${range(10, 14)
        .map((id) => `id=${id}`)
        .join("&")}`;
      expect(await allPages(service, target)).toEqual([[10, 11], [12, 13], [14]]);
    });

    test("4.1 id up to 100 times; more often, or no canonical int64, answers 400 invalid_parameter", async () => {
      const many = (count: number) =>
        range(1, count)
          .map((id) => `id=${id}`)
          .join("&");
      expect((await service.call(`GET /pets?limit=100&${many(100)}`)).json).toHaveLength(45);
      for (const query of [many(101), "id=", "id=01", "id=1.0", "id=abc", "id=1&id=9223372036854775808", "id=1,2"])
        expect((await service.call(`GET /pets?${query}`)).json).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining('"id"'),
        });
    });

    test("4.1 categoryId returns only animals of this category, with a status or without", async () => {
      const other = await startService();
      for (let i = 1; i <= 30; i++)
        await other.call("POST /pets", {
          body: `{"name":"A","categoryId":${i % 2 ? "9223372036854775807" : "-1"},"status":"${["available", "pending", "sold"][i % 3]}"}`,
        });
      const odd = range(1, 30).filter((id) => id % 2);
      expect(await allPages(other, "/pets?categoryId=9223372036854775807&limit=4")).toEqual([
        odd.slice(0, 4),
        odd.slice(4, 8),
        odd.slice(8, 12),
        odd.slice(12),
      ]);
      const oddAndSold = odd.filter((id) => id % 3 === 2);
      expect((await allPages(other, "/pets?status=sold&categoryId=9223372036854775807&limit=2")).flat()).toEqual(
        oddAndSold,
      );
      expect((await other.call("GET /pets?categoryId=2")).json).toEqual([]);
      for (const query of ["categoryId=", "categoryId=1.0", "categoryId=x", "categoryId=1&categoryId=1"])
        expect((await other.call(`GET /pets?${query}`)).json).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining('"categoryId"'),
        });
    });
  });

  test("4.1 200: the body is a bare array, empty when the store is", async () => {
    const empty = await startService();
    const { text, headers } = await empty.call("GET /pets");
    expect(text).toBe("[]");
    expect(headers.get("link")).toBeNull();
  });

  test("4.1 401: the credential is missing or invalid", async () => {
    expect((await service.call("GET /pets", { secret: null })).json.code).toBe("missing_api_key");
    expect((await service.call("GET /pets", { secret: "wrong" })).json.code).toBe("invalid_api_key");
  });

  test("4.1 HEAD answers as GET does, without the body", async () => {
    const get = await service.call("GET /pets?limit=2");
    const head = await service.call("HEAD /pets?limit=2");
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers.get("content-length")).toBe(String(get.text.length));
    expect(head.headers.get("link")).toBe(get.headers.get("link"));
    expect((await service.call("HEAD /pets?limit=0")).status).toBe(400);
    expect((await service.call("HEAD /pets", { secret: null })).status).toBe(401);
  });

  test("4.1 other methods on /pets answer 405 with Allow", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const { json, headers } = await service.call(`${method} /pets`);
      expect(json).toMatchObject({ code: "method_not_allowed", status: 405 });
      expect(headers.get("allow")).toBe("GET, HEAD, POST");
    }
  });
});
