import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { startService, type TestService } from "../harness/service/service.ts";

// Caching must not show: every response is the one that the service would give without a cache.

const REX = { name: "Rex", categoryId: 7 };

/** Pages of every kind: the query, and the SQL condition for the same rows. */
const PAGES: Readonly<Record<string, string>> = {
  "": "true ORDER BY id",
  "&status=available": "status = 'available' ORDER BY id",
  "&status=pending": "status = 'pending' ORDER BY id",
  "&status=sold": "status = 'sold' ORDER BY id",
  "&sort=id&categoryId=7": "category_id = 7 ORDER BY id",
  "&cursor=0000000000000014": "id > 20 ORDER BY id",
  "&sort=-id": "true ORDER BY id DESC",
  "&sort=-id&status=sold": "status = 'sold' ORDER BY id DESC",
  "&name=re": "name LIKE 're%' ORDER BY folded_name, id",
  "&id=3&id=28": "id IN (3, 28) ORDER BY id",
};

/** The animals in the file, read over an uncached connection, and whether more follow. */
function truth(service: TestService) {
  const db = openDatabaseFile(service.path);
  return {
    db,
    page(kind: string, limit: number) {
      const rows = db
        .query(`SELECT id, name, category_id AS categoryId, status FROM animals WHERE ${PAGES[kind]} LIMIT ?`)
        .all(limit + 1);
      return { rows: rows.slice(0, limit), more: rows.length > limit };
    },
  };
}

const STEPS = [
  "create",
  "update",
  "remove",
  "order",
  "cancel",
  "rename elsewhere",
  "add elsewhere",
  "remove elsewhere",
] as const;
type Step = (typeof STEPS)[number];

describe.each([1, 4])("a stale page is impossible, with %i threads", (threads) => {
  const start = () => startService({ env: { THREADS: String(threads) } });

  test("whatever is written, by the service or by others, the next read shows it", async () => {
    const service = await start();
    const { db, page } = truth(service);
    const orders: number[] = [];
    const anyAnimal = () => (db.query("SELECT id FROM animals ORDER BY random() LIMIT 1").get() as { id: number }).id;
    for (let i = 0; i < 30; i++) await service.call("POST /pets", { body: REX });

    const steps: Record<Step, () => Promise<void> | void> = {
      async create() {
        // A page before and after the animal is added, whose name may sort before others.
        const { next } = db.query("SELECT seq + 1 AS next FROM sqlite_sequence WHERE name = 'animals'").get() as {
          next: number;
        };
        const ids = async () =>
          (await service.call(`GET /pets?id=1&id=${next}`)).json.map(({ id }: { id: number }) => id);
        for (const _ of [1, 2]) expect(await ids()).not.toContain(next);
        await service.call("POST /pets", { body: { ...REX, name: `Re${next % 10}`, status: "sold" } });
        expect(await ids()).toContain(next);
      },
      async update() {
        await service.call(`PATCH /pets/${anyAnimal()}`, { body: { categoryId: 8, status: "sold" } });
      },
      async remove() {
        await service.call(`DELETE /pets/${anyAnimal()}`);
      },
      async order() {
        const { status, json } = await service.call("POST /store/orders", { body: { petId: anyAnimal() } });
        if (status === 201) orders.push(json.id);
      },
      async cancel() {
        const id = orders.pop();
        if (id !== undefined) await service.call(`PATCH /store/orders/${id}`, { body: { status: "cancelled" } });
      },
      "rename elsewhere": () =>
        void db.run("UPDATE animals SET name = name || '!', folded_name = folded_name || '!' WHERE id = ?", [
          anyAnimal(),
        ]),
      "add elsewhere": () =>
        void db.run("INSERT INTO animals (name, category_id, status, folded_name) VALUES ('New', 1, 'sold', 'new')"),
      "remove elsewhere": () =>
        void db.run("DELETE FROM animals WHERE id = (SELECT max(id) FROM animals WHERE name = 'New')"),
    };

    const isTrue = async (kind: string, limit: number) => {
      const { json, headers } = await service.call(`GET /pets?limit=${limit}${kind}`);
      expect({ kind, limit, rows: json, more: headers.has("link") }).toEqual({ kind, limit, ...page(kind, limit) });
    };

    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.oneof(fc.constantFrom(...STEPS), fc.constant<Step>("create")),
            fc.constantFrom(...Object.keys(PAGES)),
            fc.constantFrom(5, 20, 100),
          ),
          { minLength: 5, maxLength: 20 },
        ),
        async (sequence) => {
          for (const [step, kind, limit] of sequence) {
            // About twice per thread, because only repeated requests are cached.
            for (let i = 0; i < 2 * threads; i++) await isTrue(kind, limit);
            await steps[step]();
            await isTrue(kind, limit);
            const order = db.query("SELECT id, status FROM orders ORDER BY random() LIMIT 1").get() as {
              id: number;
            } | null;
            if (order) expect((await service.call(`GET /store/orders/${order.id}`)).json).toMatchObject(order);
            const id = anyAnimal();
            const { json } = await service.call(`GET /pets/${id}`);
            expect(json).toEqual(
              db.query("SELECT id, name, category_id AS categoryId, status FROM animals WHERE id = ?").get(id),
            );
          }
        },
      ),
      { numRuns: threads === 1 ? 25 : 10 },
    );
    db.close();
  });

  test("also of the names of categories, whoever changes them", async () => {
    const service = await start();
    const db = openDatabaseFile(service.path);
    const ask = async (line: string, body?: unknown) => void (await service.call(line, body ? { body } : {}));
    const steps: (() => Promise<void> | void)[] = [
      () => ask("PUT /categories/7", { name: "Dogs" }),
      () => ask("PUT /categories/7", { name: "Hounds" }),
      () => ask("PUT /categories/8", { name: "Dogs" }),
      () => ask("DELETE /categories/7"),
      () => ask("POST /pets", { ...REX, name: "Dogs" }),
      () => void db.run("INSERT OR REPLACE INTO categories VALUES (9, 'Dogs too', 'dogs too')"),
      () => void db.run("UPDATE categories SET name = 'Dogs 2', folded_name = 'dogs 2' WHERE id = 9"),
      () => void db.run("DELETE FROM categories WHERE id = 9"),
    ];
    const areTrue = async () => {
      const all = db.query("SELECT id, name FROM categories ORDER BY id").all() as { id: number; name: string }[];
      expect((await service.call("GET /categories")).json).toEqual(all);
      expect((await service.call("GET /categories?name=dogs")).json).toEqual(
        db.query("SELECT id, name FROM categories WHERE folded_name LIKE 'dogs%' ORDER BY folded_name").all(),
      );
      for (const id of [7, 8, 9])
        expect((await service.call(`GET /categories/${id}`)).json.name).toBe(all.find((row) => row.id === id)?.name);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 5, maxLength: 15 }), async (sequence) => {
        for (const step of sequence) {
          await areTrue();
          await step();
          await areTrue();
        }
      }),
      { numRuns: threads === 1 ? 15 : 10 },
    );
    db.close();
  });

  test("also when another process writes while reads go on", async () => {
    const service = await start();
    await service.call("POST /pets", { body: REX });
    const script = `import { Database } from "bun:sqlite";
      const db = new Database(${JSON.stringify(service.path)});
      db.run("PRAGMA busy_timeout = 5000");
      for await (const line of console) {
        db.run("UPDATE animals SET name = ? WHERE id = 1", [line]);
        console.log(line);
      }`;
    const writer = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" });
    const lines = writer.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let isOver = false;
    const readers = Array.from({ length: 8 }, async () => {
      while (!isOver) await service.call("GET /pets?limit=1");
    });
    for (let i = 0; i < 100; i++) {
      writer.stdin.write(`Rex ${i}\n`);
      writer.stdin.flush();
      const { value } = await lines.read();
      expect(value?.trim()).toBe(`Rex ${i}`);
      expect((await service.call("GET /pets?limit=1")).json[0].name).toBe(`Rex ${i}`);
    }
    isOver = true;
    await Promise.all(readers);
    writer.kill();
  });
});

describe("nothing of one answer shows in another", () => {
  test("reads that are sent without waiting for answers are all answered, in order", async () => {
    const service = await startService();
    for (let i = 0; i < 3; i++) await service.call("POST /pets", { body: REX });
    const connection = await RawConnection.open(service.origin);
    const targets = ["/v1/pets/1", "/v1/pets?limit=2", "/v1/pets/2", "/v1/pets/99", "/v1/pets/3"];
    connection.send(
      targets
        .map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.boundless}\r\n\r\n`)
        .join(""),
    );
    const received = await connection.until((text) => text.split("HTTP/1.1 ").length === 6 && text.endsWith("}"));
    expect([...(received.match(/HTTP\/1.1 \d+|(?<=\r\n\r\n).{8}/g) ?? [])]).toEqual([
      ...["HTTP/1.1 200", '{"id":1,'],
      ...["HTTP/1.1 200", '[{"id":1'],
      ...["HTTP/1.1 200", '{"id":2,'],
      ...["HTTP/1.1 404", '{"code":'],
      ...["HTTP/1.1 200", '{"id":3,'],
    ]);
    connection.destroy();
  });

  test("also while others write: a read is answered at once, or Bun would close the connection before the next", async () => {
    const service = await startService();
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) await service.call("POST /pets", { body: REX });
    });
    const get = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.boundless}\r\n\r\n`;
    const answers = (text: string) => text.split("HTTP/1.1 200 ").length - 1;
    const connection = await RawConnection.open(service.origin);
    for (let sent = 10; sent <= 20_000; sent += 10) {
      connection.send(get.repeat(10));
      expect(answers(await connection.until((text) => answers(text) >= 10))).toBe(10);
      connection.forget();
    }
    isOver = true;
    await Promise.all(writers);
    connection.destroy();
  });

  test("callers see their own quotas on a page that is cached for both", async () => {
    const service = await startService();
    const [one, two] = [await service.issueKey({ plan: "free" }), await service.issueKey({ plan: "pro" })];
    const left: string[] = [];
    for (const { secret } of [one, two, one, two, one]) {
      const { headers } = await service.call("GET /pets", { secret });
      left.push(`${headers.get("x-ratelimit-remaining")} of ${headers.get("x-ratelimit-limit")}`);
      expect(headers.get("ratelimit-policy")).toStartWith(`"minute";q=${headers.get("x-ratelimit-limit")};w=60`);
      expect(headers.get("ratelimit")).toStartWith(`"minute";r=${headers.get("x-ratelimit-remaining")};t=`);
    }
    expect(left).toEqual(["59 of 60", "299 of 300", "58 of 60", "298 of 300", "57 of 60"]);
  });

  test("every answer has the headers of its own kind, whatever was answered before", async () => {
    const service = await startService();
    for (let i = 0; i < 3; i++) await service.call("POST /pets", { body: REX });
    const named = ["link", "location", "allow", "www-authenticate", "deprecation", "sunset", "idempotency-replayed"];
    const once = { headers: { "Idempotency-Key": "once" } };
    const kinds: [() => Promise<{ status: number; headers: Headers }>, number, string[]][] = [
      [() => service.call("GET /pets?limit=1"), 200, ["link"]],
      [() => service.call("GET /pets?limit=100"), 200, []],
      [() => service.call("GET /pets/1"), 200, ["link", "deprecation", "sunset"]],
      [() => service.call("GET /pets/999999"), 404, ["link", "deprecation", "sunset"]],
      [() => service.call("POST /pets", { body: REX }), 201, ["location"]],
      [() => service.call("POST /pets", { body: REX, ...once }), 201, ["location", "idempotency-replayed"]],
      [() => service.call("POST /pets", { body: "{" }), 400, []],
      [() => service.call("GET /pets", { secret: null }), 401, ["www-authenticate"]],
      [() => service.call("GET /pets/1", { secret: null }), 401, ["link", "www-authenticate", "deprecation", "sunset"]],
      [() => service.call("PUT /pets", { body: REX }), 405, ["allow"]],
      [() => service.call("GET /nothing"), 404, []],
    ];
    await service.call("POST /pets", { body: REX, ...once });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 12 }), async (sequence) => {
        for (const [ask, status, expected] of sequence) {
          const answer = await ask();
          expect([answer.status, named.filter((name) => answer.headers.has(name))]).toEqual([status, expected]);
        }
      }),
      { numRuns: 30 },
    );
  });
});
