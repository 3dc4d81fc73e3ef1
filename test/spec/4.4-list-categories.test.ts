import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  const NAMES = new Map([
    [-3, "éclair"],
    [-1, "Dogs"],
    [0, "dog food"],
    [2, "E\u0301clipse"],
    [5, "Cats"],
    [7, "DOGFISH"],
    [8, "100% wool"],
    [9, "a_b"],
    [10, "狗 small"],
    [11, "狗 large"],
    [12, "\u{1f415} walkers"],
    [13, "\uff41 wide"],
  ]);
  setUp(async () => {
    service = await startService();
    for (const [id, name] of [...NAMES].reverse()) await service.call(`PUT /categories/${id}`, { body: { name } });
  });

  /** The ids on all pages, from the first to the last. */
  async function idsOf(target: string): Promise<number[]> {
    const ids: number[] = [];
    for (let next: string | undefined = target; next; ) {
      const page = await service.call(`GET ${next}`);
      expect(page.status).toBe(200);
      ids.push(...page.json.map(({ id }: { id: number }) => id));
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]?.slice(service.publicUrl.length);
    }
    return ids;
  }

  test("4.4 listCategories is GET /categories: a bare array of id and name by ascending id", async () => {
    const { status, json, headers } = await service.call("GET /categories");
    expect([status, json]).toEqual([200, [...NAMES].map(([id, name]) => ({ id, name }))]);
    expect(headers.has("link")).toBe(false);
  });

  test("4.4 limit and Link page through the categories, and every page size finds the same", async () => {
    for (const limit of [1, 2, 3, 11, 12, 13, 100])
      expect(await idsOf(`/categories?limit=${limit}`)).toEqual([...NAMES.keys()]);
    expect((await service.call("GET /categories?limit=2")).json).toHaveLength(2);
  });

  test("4.4 name finds those that begin with it, whatever its case or encoding, by name", async () => {
    for (const limit of [1, 2, 100])
      for (const [name, ids] of [
        ["dog", [0, 7, -1]],
        ["DOGF", [7]],
        ["dogs", [-1]],
        ["é", [-3, 2]],
        ["e\u0301CLI", [2]],
        ["e", []],
        ["狗", [11, 10]],
        ["\u{1f415}", [12]],
        ["%", []],
        ["100%", [8]],
        ["a_", [9]],
        ["a%", []],
        ["ats", []],
      ] as const)
        expect([name, await idsOf(`/categories?limit=${limit}&name=${encodeURIComponent(name)}`)]).toEqual([
          name,
          [...ids],
        ]);
  });

  test("4.4 pages stay stable while categories are added, renamed and removed", async () => {
    const first = await service.call("GET /categories?limit=4");
    await service.call("PUT /categories/-9", { body: { name: "Before" } });
    await service.call("PUT /categories/2", { body: { name: "Zebras" } });
    await service.call("DELETE /categories/8");
    const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1]?.slice(service.publicUrl.length) as string;
    expect(await idsOf(next)).toEqual([5, 7, 9, 10, 11, 12, 13]);
  });

  test("4.4 a wrong or unknown parameter answers 400 invalid_parameter", async () => {
    const queries = ["limit=0", "limit=101", "cursor=x", "name=", "name=a&name=b", "id=1", "status=sold", "sort=id"];
    for (const query of [...queries, `name=${"x".repeat(256)}`, "name=%00"])
      expect((await service.call(`GET /categories?${query}`)).json).toMatchObject({
        code: "invalid_parameter",
        status: 400,
      });
  });
});
