import { describe, expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

interface Pet {
  readonly id: number;
  readonly name: string;
}

onEveryStore(({ startService, setUp }) => {
  const STATUSES = ["available", "pending", "sold"];
  const NAMES = [
    "Rex",
    "rex",
    "REX II",
    "Zoë",
    "Zoe\u0308 Anne",
    "ZOË",
    "Zoe",
    "Rey",
    "🐕 Rex",
    "🐕",
    "O'Malley%_",
    "a\uffff",
    "a\u{10000}",
    "a\u{10ffff}",
    "b",
  ];
  let service: TestService;
  setUp(async () => {
    service = await startService();
    for (const [i, name] of NAMES.entries())
      await service.call("POST /pets", { body: { name, categoryId: i % 2, status: STATUSES[i % 3] } });
    // The same name for all, so that only the id tells them apart.
    for (let i = 0; i < 7; i++)
      await service.call("POST /pets", {
        body: { name: i % 2 ? "TWIN" : "twin", categoryId: 1, status: STATUSES[i % 3] },
      });
  });

  const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
  const nextOf = (headers: Headers): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];

  async function allPages(target: string): Promise<Pet[][]> {
    const pages: Pet[][] = [];
    for (let next: string | undefined = `${service.publicUrl}${target}`; next; ) {
      const page = await service.call(`GET ${next.slice(service.publicUrl.length)}`);
      expect(page.status).toBe(200);
      pages.push(page.json);
      next = nextOf(page.headers);
    }
    return pages;
  }
  const namesOf = async (name: string, more: Record<string, string> = {}): Promise<string[]> =>
    (await allPages(`/pets?${query({ name, ...more })}`)).flat().map((pet) => pet.name);
  const idsOf = async (target: string): Promise<number[]> => (await allPages(target)).flat().map((pet) => pet.id);

  describe("4.1 addition: sort", () => {
    test("4.1 sort=id is the order without it, and sort=-id has the newest first, through all pages", async () => {
      const ascending = await idsOf("/pets?limit=100");
      expect(await idsOf("/pets?sort=id&limit=3")).toEqual(ascending);
      expect(await idsOf("/pets?sort=-id&limit=3")).toEqual(ascending.toReversed());
      expect(await idsOf("/pets?sort=-id&limit=100")).toEqual(ascending.toReversed());
    });

    test("4.1 sort goes with status, categoryId, both, and id", async () => {
      const ids = Array.from({ length: 9 }, (_, i) => `id=${i * 2 + 1}`).join("&");
      for (const filter of ["status=sold", "categoryId=1", "categoryId=1&status=pending", ids, `${ids}&status=sold`]) {
        const ascending = await idsOf(`/pets?${filter}&limit=2`);
        expect(ascending.length).toBeGreaterThan(2);
        expect(await idsOf(`/pets?${filter}&sort=-id&limit=2`)).toEqual(ascending.toReversed());
      }
    });

    test("4.1 Link keeps sort, and a page stays what it was while animals are added", async () => {
      const first = await service.call("GET /pets?sort=-id&limit=2&status=sold");
      expect(nextOf(first.headers)).toMatch(/\/pets\?limit=2&status=sold&sort=-id&cursor=[0-9a-f]{16}$/);
      const next = `GET ${nextOf(first.headers)?.slice(service.publicUrl.length)}`;
      const before = (await service.call(next)).json;
      await service.call("POST /pets", { body: { name: "late", categoryId: 0, status: "sold" } });
      expect((await service.call(next)).json).toEqual(before);
    });

    test("4.1 cursors that earlier releases gave out work in both directions", async () => {
      const old = Buffer.from("after:3").toString("base64url");
      for (const cursor of ["0000000000000003", old]) {
        expect((await service.call(`GET /pets?limit=2&cursor=${cursor}`)).json.map((pet: Pet) => pet.id)).toEqual([
          4, 5,
        ]);
        expect((await service.call(`GET /pets?sort=-id&cursor=${cursor}`)).json.map((pet: Pet) => pet.id)).toEqual([
          2, 1,
        ]);
      }
    });

    test("4.1 any other sort answers 400 invalid_parameter", async () => {
      for (const sort of ["", "name", "-name", "ID", "+id", "id,-id", "id%20", "--id"])
        expect((await service.call(`GET /pets?sort=${sort}`)).json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
          message: 'The query parameter "sort" must be one of id, -id.',
        });
      expect((await service.call("GET /pets?sort=id&sort=id")).json.message).toContain('"sort" was sent too often');
    });
  });

  describe("4.1 addition: name", () => {
    test("4.1 name finds what begins with it, in any case, ordered by name and then by id", async () => {
      expect(await namesOf("re")).toEqual(["Rex", "rex", "REX II", "Rey"]);
      expect(await namesOf("REX")).toEqual(["Rex", "rex", "REX II"]);
      expect(await namesOf("rex ")).toEqual(["REX II"]);
      expect(await namesOf("ex")).toEqual([]);
      expect(await namesOf("rexx")).toEqual([]);
    });

    test("4.1 name is the same however it is typed: composed or not, as an emoji, with signs of SQL", async () => {
      for (const typed of ["zoë", "ZOE\u0308", "Zoe\u0308"])
        expect(await namesOf(typed)).toEqual(["Zoë", "ZOË", "Zoe\u0308 Anne"]);
      expect(await namesOf("zoe")).toEqual(["Zoe"]);
      expect(await namesOf("🐕")).toEqual(["🐕", "🐕 Rex"]);
      expect(await namesOf("O'MALLEY%_")).toEqual(["O'Malley%_"]);
      expect(await namesOf("%")).toEqual([]);
      expect(await namesOf("_")).toEqual([]);
    });

    test("4.1 name finds what lies at the edges of Unicode, in the order of code points", async () => {
      expect(await namesOf("a")).toEqual(["a\uffff", "a\u{10000}", "a\u{10ffff}"]);
      expect(await namesOf("a\uffff")).toEqual(["a\uffff"]);
      expect(await namesOf("a\u{10ffff}")).toEqual(["a\u{10ffff}"]);
      expect(await namesOf("\u{10ffff}".repeat(255))).toEqual([]);
    });

    test("4.1 name is paged through animals that have the same one, each once", async () => {
      const twins = await idsOf("/pets?name=twin&limit=100");
      expect(twins).toHaveLength(7);
      expect(twins).toEqual(twins.toSorted((a, b) => a - b));
      for (const limit of [1, 2, 3, 6, 7]) expect(await idsOf(`/pets?name=TWIN&limit=${limit}`)).toEqual(twins);
      expect((await allPages("/pets?name=twin&limit=7")).length).toBe(1);
    });

    test("4.1 name goes with status", async () => {
      for (const [i, status] of STATUSES.entries()) {
        const expected = ["Rex", "rex", "REX II", "Rey"].filter((name) => NAMES.indexOf(name) % 3 === i);
        for (const limit of ["1", "20"]) expect(await namesOf("re", { status, limit })).toEqual(expected);
      }
    });

    test("4.1 Link keeps name as it was sent, and continues after the last name", async () => {
      const page = await service.call(`GET /pets?${query({ name: "ZOE\u0308", limit: "1" })}`);
      const cursor = `0000000000000004.${Buffer.from("zoë").toString("base64url")}`;
      expect(page.json).toMatchObject([{ id: 4, name: "Zoë" }]);
      expect(nextOf(page.headers)).toBe(`${service.publicUrl}/pets?limit=1&name=ZOE%CC%88&cursor=${cursor}`);
    });

    test("4.1 an animal is found by its new name as soon as it has one, and not by the old one", async () => {
      const { json } = await service.call("POST /pets", { body: { name: "Misspelt", categoryId: 1 } });
      expect(await namesOf("missp")).toEqual(["Misspelt"]);
      await service.call(`PATCH /pets/${json.id}`, { body: { name: "Corrected" } });
      expect([await namesOf("missp"), await namesOf("corr")]).toEqual([[], ["Corrected"]]);
      await service.call(`DELETE /pets/${json.id}`);
      expect(await namesOf("corr")).toEqual([]);
    });

    test("4.1 name obeys the rules of names; anything else answers 400 invalid_parameter", async () => {
      for (const name of [
        "",
        "%20",
        "%E2%80%8B",
        "a%00",
        "a%0A",
        "%E2%80%AE",
        "a".repeat(256),
        "%F0%9F%90%95".repeat(256),
      ])
        expect((await service.call(`GET /pets?name=${name}`)).json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
          message: expect.stringContaining('The query parameter "name" must'),
        });
      expect((await service.call(`GET /pets?name=${"%F0%9F%90%95".repeat(255)}`)).json).toEqual([]);
      expect((await service.call("GET /pets?name=a&name=b")).json.message).toContain('"name" was sent too often');
    });

    test("4.1 name finds a Greek name by any beginning, although Σ is written differently at the end of a word", async () => {
      await service.call("POST /pets", { body: { name: "ΝΙΚΟΣΤΡΑΤΟΣ", categoryId: 1 } });
      await service.call("POST /pets", { body: { name: "Νίκος", categoryId: 1 } });
      for (const typed of [
        "ΝΙΚΟΣ",
        "νικοσ",
        "νικος",
        "Νικόστρ".normalize("NFD").replaceAll("\u0301", ""),
        "νικοστρατος",
      ])
        expect(await namesOf(typed)).toEqual(["ΝΙΚΟΣΤΡΑΤΟΣ"]);
      for (const typed of ["ΝΊΚΟΣ", "νίκος", "ΝΊΚ"]) expect(await namesOf(typed)).toEqual(["Νίκος"]);
    });

    test("4.1 name beside sort, categoryId or id answers 400, which names both and what to do", async () => {
      for (const other of ["sort=id", "sort=-id", "categoryId=1", "id=1"])
        for (const target of [`name=r&${other}`, `${other}&name=r&status=sold`])
          expect((await service.call(`GET /pets?${target}`)).json).toMatchObject({
            code: "invalid_parameter",
            status: 400,
            message: `The query parameter "name" cannot be combined with "${other.split("=")[0]}": leave one of the two out.`,
          });
    });

    test("4.1 a cursor of one list is refused by another: by id, by name, by another name", async () => {
      const byName = /cursor=([^&>]+)/.exec(
        (await service.call("GET /pets?name=twin&limit=1")).headers.get("link") ?? "",
      )?.[1];
      expect(byName).toMatch(/^[0-9a-f]{16}\.[\w-]+$/);
      for (const target of [
        `cursor=${byName}`,
        `name=rex&cursor=${byName}`,
        "name=twin&cursor=0000000000000003",
        `sort=-id&cursor=${byName}`,
      ])
        expect((await service.call(`GET /pets?${target}`)).json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
          message:
            'The query parameter "cursor" was not given out for this list: use the URL of a Link header unchanged.',
        });
      expect((await service.call(`GET /pets?name=TWI&cursor=${byName}`)).json).toHaveLength(6);
      expect((await service.call(`GET /store/orders?cursor=${byName}`)).json).toMatchObject({
        code: "invalid_parameter",
        message: expect.stringContaining('"cursor" was not given out for this list'),
      });
      for (const cursor of [
        `${byName}=`,
        `${byName}.`,
        "0000000000000003.",
        "0000000000000003.AA",
        "0000000000000003._w",
      ])
        expect((await service.call(`GET /pets?name=twin&cursor=${cursor}`)).json).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining('"cursor" must be taken from a Link header'),
        });
    });
  });
});
