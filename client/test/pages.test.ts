import { describe, expect, test } from "bun:test";
import { AnimalStore, type ListPetsQuery, type Pet } from "../src/index.ts";
import { startTarget } from "./harness/target.ts";

/** A store with seven animals, and a record of the requests after that. */
async function sevenAnimals() {
  const service = await startTarget();
  const asked: string[] = [];
  let isBroken = false;
  const store = new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.boundless,
    retries: 0,
    fetch: async (url, init) => {
      if (isBroken) throw new Error("unplugged");
      asked.push(`${init.method} ${url.replace(/.*\/v1/, "")}`);
      return fetch(url, init);
    },
  });
  for (let i = 1; i <= 7; i++) await store.pets.create({ name: `pet ${i}`, categoryId: 1 });
  asked.length = 0;
  const unplug = (broken: boolean): void => {
    isBroken = broken;
  };
  return { service, store, asked, unplug };
}

const idsOf = async (pets: AsyncIterable<Pet>): Promise<string[]> => (await Array.fromAsync(pets)).map(({ id }) => id);
const SEVEN = ["1", "2", "3", "4", "5", "6", "7"];

describe("a page", () => {
  test("leads to the next one, up to the last", async () => {
    const { store } = await sevenAnimals();
    const sizes: number[] = [];
    for (let page = await store.pets.list({ limit: 3 }); ; ) {
      sizes.push(page.items.length);
      const next = await page.next();
      if (!next) {
        expect(page.nextCursor).toBeUndefined();
        break;
      }
      expect(page.nextCursor).toMatch(/^[0-9a-f]{16}$/);
      page = next;
    }
    expect(sizes).toEqual([3, 3, 1]);
  });

  test("gives the same next one however often it is asked", async () => {
    const { store } = await sevenAnimals();
    const page = await store.pets.list({ limit: 3 });
    const [a, b] = await Promise.all([page.next(), page.next()]);
    expect(a?.items).toEqual(b?.items as Pet[]);
    expect(a?.items[0]?.id).toBe("4");
  });

  test("says where to go on later, in another process", async () => {
    const { store } = await sevenAnimals();
    const { nextCursor } = await store.pets.list({ limit: 3 });
    const kept = JSON.parse(JSON.stringify({ nextCursor }));
    expect(await idsOf(store.pets.list({ limit: 3, cursor: kept.nextCursor }))).toEqual(["4", "5", "6", "7"]);
  });

  test("is iterated over from its first item to the end of the list", async () => {
    const { store, asked } = await sevenAnimals();
    const second = await (await store.pets.list({ limit: 2 })).next();
    expect(asked).toHaveLength(2);
    if (!second) throw new Error("there is a second page");
    expect(await idsOf(second)).toEqual(SEVEN.slice(2));
    expect(asked).toHaveLength(4);
    for await (const { id } of second) if (id === "3") break;
    expect(asked).toHaveLength(4);
  });

  test("is plain data: as JSON, cloned, and with other items", async () => {
    const { store } = await sevenAnimals();
    const page = await store.pets.list({ limit: 1 });
    const data = {
      items: [{ id: "1", name: "pet 1", categoryId: "1", status: "available" }],
      nextCursor: page.nextCursor,
    };
    expect(JSON.parse(JSON.stringify(page))).toEqual(data);
    expect(structuredClone<unknown>(page)).toEqual(data);
    expect<unknown>({ ...page }).toEqual(data);
    expect(structuredClone(await store.key())).toMatchObject({ plan: "enterprise" });
  });

  test("that is empty is a page", async () => {
    const { store, asked } = await sevenAnimals();
    expect(await store.pets.list({ status: "sold" })).toMatchObject({ items: [], nextCursor: undefined });
    expect(await idsOf(store.pets.list({ status: "sold" }))).toEqual([]);
    expect(asked).toEqual(["GET /pets?status=sold", "GET /pets?status=sold&limit=100"]);
  });

  test("that has not changed is undefined, and the next ones are read whatever was known of the first", async () => {
    const { store } = await sevenAnimals();
    const { etag } = await store.pets.list({ limit: 3 }).withResponse();
    expect(await store.pets.list({ limit: 3 }, { ifNoneMatch: etag })).toBeUndefined();
    const second = await store.pets.list({ limit: 3 }).then((page) => page.next());
    const { etag: secondTag } = await store.pets
      .list({ limit: 3, cursor: (await store.pets.list({ limit: 3 })).nextCursor })
      .withResponse();
    // With the tag of the second page, the first one is read, and next() does not send the tag again.
    const page = await store.pets.list({ limit: 3 }, { ifNoneMatch: secondTag });
    expect((await page?.next())?.items).toEqual(second?.items as Pet[]);
  });
});

describe("a list", () => {
  test("has everything, in as many requests as there are pages", async () => {
    const { store, asked } = await sevenAnimals();
    expect(await idsOf(store.pets.list({ limit: 3 }))).toEqual(SEVEN);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toBe("GET /pets?limit=3");
  });

  test("asks for no page before it is needed", async () => {
    const { store, asked } = await sevenAnimals();
    for await (const { id } of store.pets.list({ limit: 3 })) if (id === "3") break;
    expect(asked).toHaveLength(1);
    for await (const { id } of store.pets.list({ limit: 3 })) if (id === "4") break;
    expect(asked).toHaveLength(3);
  });

  test("is asked for when somebody looks at it, as it was called, and once for all that is done with it", async () => {
    const { store, asked } = await sevenAnimals();
    const filter = { limit: 100, id: SEVEN.map(Number) };
    const list = store.pets.list(filter);
    filter.id.length = 0;
    list[Symbol.asyncIterator]();
    await Bun.sleep(0);
    expect(asked).toEqual([]);
    const [page, { data }, ids] = await Promise.all([list, list.withResponse(), idsOf(list)]);
    expect(data).toBe(page);
    expect(ids).toEqual(SEVEN);
    expect(asked).toHaveLength(1);
  });

  test("is iterated over in the largest pages unless it has a limit, and awaited in the service's", async () => {
    const { store, asked } = await sevenAnimals();
    const list = store.pets.list();
    expect(await Promise.all([idsOf(list), idsOf(list), list.toArray()])).toMatchObject([SEVEN, SEVEN, { length: 7 }]);
    expect(asked).toEqual(["GET /pets?limit=100"]);
    expect((await list).items).toHaveLength(7);
    expect(asked).toEqual(["GET /pets?limit=100", "GET /pets"]);
    for (const all of [store.categories.list(), store.orders.list({ status: "placed" })]) await all.toArray();
    expect(asked.slice(2)).toEqual(["GET /categories?limit=100", "GET /store/orders?status=placed&limit=100"]);
  });

  test("is gathered in an array, whole or as much of it as is asked for, and no page more", async () => {
    const { store, asked } = await sevenAnimals();
    const list = store.pets.list({ limit: 2 });
    const gather = async (max?: number) => {
      asked.length = 0;
      return [(await list.toArray({ max })).map(({ id }) => id), asked.length];
    };
    expect(await gather(0)).toEqual([[], 0]);
    expect(await gather()).toEqual([SEVEN, 4]);
    expect(await gather(1)).toEqual([["1"], 0]);
    expect(await gather(4)).toEqual([SEVEN.slice(0, 4), 1]);
    expect(await gather(5)).toEqual([SEVEN.slice(0, 5), 2]);
    expect(await gather(100)).toEqual([SEVEN, 3]);
    for (const max of [-1, Number.NaN, "5", null] as number[])
      expect(await list.toArray({ max }).catch(String)).toStartWith("TypeError: max is ");
  });

  test("has all methods of a promise, and is taken for one", async () => {
    const { store } = await sevenAnimals();
    const list = () => store.pets.list({ limit: 1 });
    expect((await list().finally(() => {})).items).toHaveLength(1);
    expect(await list().then(({ items }) => items.length)).toBe(1);
    expect(await store.pets.list({ id: [] }).catch(String)).toStartWith("TypeError: id is empty.");
    expect((await Promise.race([list()])).items).toHaveLength(1);
    expect(String(list())).toBe("[object ListCall]");
  });

  test("can be iterated over twice, also at once: from its first page on", async () => {
    const { store, asked } = await sevenAnimals();
    const list = store.pets.list({ limit: 4 });
    expect(await Promise.all([idsOf(list), idsOf(list)])).toEqual([SEVEN, SEVEN]);
    expect(await idsOf(list)).toEqual(SEVEN);
    expect(asked).toHaveLength(1 + 3);
  });

  test("that fails in the middle has given all that came before, and says what happened", async () => {
    const { store, unplug } = await sevenAnimals();
    const seen: string[] = [];
    const list = store.pets.list({ limit: 3 });
    const iterate = async (): Promise<void> => {
      for await (const { id } of list) {
        seen.push(id);
        if (id === "2") unplug(true);
      }
    };
    expect(await iterate().catch(({ code }) => code)).toBe("connection_failed");
    expect(seen).toEqual(["1", "2", "3"]);
    unplug(false);
    expect(await idsOf(list)).toEqual(SEVEN);
  });

  test("that fails at once fails wherever one looks", async () => {
    const { store, unplug } = await sevenAnimals();
    unplug(true);
    const list = store.pets.list();
    const codeOf = (work: Promise<unknown>): Promise<unknown> => work.catch(({ code }) => code);
    expect(await Promise.all([list, list.withResponse(), idsOf(list)].map(codeOf))).toEqual(
      Array(3).fill("connection_failed"),
    );
  });

  test("that changes meanwhile has what was there before once, and what comes after its place", async () => {
    const { store } = await sevenAnimals();
    const seen: string[] = [];
    for await (const { id } of store.pets.list({ limit: 2 })) {
      seen.push(id);
      if (id === "2") {
        await store.pets.delete(1);
        await store.pets.delete(5);
        await store.pets.create({ name: "pet 8", categoryId: 1 });
      }
    }
    expect(seen).toEqual(["1", "2", "3", "4", "6", "7", "8"]);
  });

  test("ends early when its signal is aborted between pages", async () => {
    const { store, asked } = await sevenAnimals();
    const stop = new AbortController();
    const iterate = async (): Promise<void> => {
      for await (const { id } of store.pets.list({ limit: 2 }, { signal: stop.signal })) if (id === "2") stop.abort();
    };
    expect(await iterate().catch(({ code }) => code)).toBe("aborted");
    expect(asked).toHaveLength(1);
  });

  test("has the pages of the address that the client was given, whatever a link says", async () => {
    const { service } = await sevenAnimals();
    const hosts = new Set<string>();
    const store = new AnimalStore({
      baseUrl: `${service.origin}/v1`,
      apiKey: service.boundless,
      fetch: async (url, init) => {
        hosts.add(new URL(url).host);
        const response = await fetch(url, init);
        const headers = new Headers(response.headers);
        const link = headers.get("link");
        if (link) headers.set("Link", link.replace(service.origin, "https://thief.invalid"));
        return new Response(response.body, { status: response.status, headers });
      },
    });
    expect(await idsOf(store.pets.list({ limit: 3 }))).toEqual(SEVEN);
    expect([...hosts]).toEqual([new URL(service.origin).host]);
  });

  test("works for categories and orders, too", async () => {
    const { store } = await sevenAnimals();
    for (let i = 1; i <= 3; i++) {
      await store.categories.put(i, { name: `category ${i}` });
      await store.orders.place({ petId: i });
    }
    expect((await Array.fromAsync(store.categories.list({ limit: 2 }))).map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect((await Array.fromAsync(store.orders.list({ limit: 2, sort: "-id" }))).map(({ petId }) => petId)).toEqual([
      "3",
      "2",
      "1",
    ]);
  });

  test("with ifNoneMatch is not iterated over: types say so, and JavaScript gets nothing that is known already", async () => {
    const { store } = await sevenAnimals();
    const filter: ListPetsQuery = { limit: 3 };
    const { etag } = await store.pets.list(filter).withResponse();
    // @ts-expect-error: whatever was left out would be missing
    expect(await Array.fromAsync(store.pets.list(filter, { ifNoneMatch: etag }))).toEqual([]);
  });
});
