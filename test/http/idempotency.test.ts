import { describe, expect, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { startService as startOnSqlite, type TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const REX = { name: "Rex", categoryId: 7 };
const withKey = (key: string) => ({ "Idempotency-Key": key });

onEveryStore(({ startService, setUp }) => {
  const clock = new FakeClock();
  let service: TestService;
  setUp(async () => {
    service = await startService({ clock });
  });
  const create = (key: string, body: unknown = REX, secret?: string) =>
    service.call("POST /pets", { body, headers: withKey(key), ...(secret ? { secret } : {}) });
  const countPets = async (): Promise<number> => (await service.call("GET /pets?limit=100")).json.length;

  describe("Idempotency-Key", () => {
    test("a retry of createPet gets the first status, body and Location, and nothing is done again", async () => {
      const before = await countPets();
      const first = await create("a");
      const second = await create("a");
      expect(second.status).toBe(201);
      expect(second.text).toBe(first.text);
      expect(second.headers.get("location")).toBe(first.headers.get("location"));
      expect([first, second].map((answer) => answer.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
      expect(await countPets()).toBe(before + 1);
    });

    test("a retry of placeOrder gets the order as it was, also when it has moved on", async () => {
      const petId = (await create("pet to sell")).json.id;
      const place = () => service.call("POST /store/orders", { body: { petId }, headers: withKey("order") });
      const first = await place();
      await service.call(`PATCH /store/orders/${first.json.id}`, { body: { status: "approved" } });
      const second = await place();
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect(second.headers.get("location")).toBe(first.headers.get("location"));
    });

    /** An update, an order's transition and a deletion, each with a different request under the same key. */
    const others = async (key: string) => {
      const headers = withKey(key);
      const petId = (await create(`pet of ${key}`)).json.id;
      const sold = (await create(`sold pet of ${key}`)).json.id;
      const order = (await service.call("POST /store/orders", { body: { petId: sold } })).json.id;
      const { headers: found } = await service.call(`GET /pets?id=${petId}`);
      const ifMatch = { "If-Match": found.get("etag") as string };
      return [
        {
          send: [
            `PATCH /pets/${petId}`,
            { body: { name: "Mia", status: "sold" }, headers: { ...headers, ...ifMatch } },
          ],
          differ: [
            [`PATCH /pets/${petId}`, { body: { name: "Mia" }, headers }],
            [`PATCH /pets/${petId}`, { body: { name: "sold", status: "sold" }, headers }],
            [`PATCH /pets/${sold}`, { body: { name: "Mia", status: "sold" }, headers }],
            [`DELETE /pets/${petId}`, { headers }],
          ],
        },
        {
          send: [`PATCH /store/orders/${order}`, { body: { status: "approved" }, headers }],
          differ: [
            [`PATCH /store/orders/${order}`, { body: { status: "delivered" }, headers }],
            [`PATCH /store/orders/${order + 1}`, { body: { status: "approved" }, headers }],
          ],
        },
        {
          send: [`DELETE /pets/${petId}`, { headers }],
          differ: [
            [`DELETE /pets/${sold}`, { headers }],
            [`PATCH /pets/${petId}`, { body: { name: "Mia" }, headers }],
          ],
        },
      ].map(({ send, differ }, i) => {
        const own = withKey(`${key} ${i}`);
        const withOwnKey = ([line, options]: unknown[]) => {
          const { headers, ...more } = options as { headers: Record<string, string> };
          return [line, { ...more, headers: { ...headers, ...own } }] as Parameters<TestService["call"]>;
        };
        return { send: withOwnKey(send), differ: differ.map(withOwnKey) };
      });
    };

    test("a retry of updatePet, updateOrder or deletePet gets its first answer instead of 412, 409 or 404", async () => {
      for (const { send, differ } of await others("retry of")) {
        const first = await service.call(...send);
        expect([200, 204]).toContain(first.status);
        for (let retry = 0; retry < 2; retry++) {
          const again = await service.call(...send);
          expect([again.status, again.text]).toEqual([first.status, first.text]);
          expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
          expect(again.headers.get("idempotency-replayed")).toBe("true");
        }
        expect(first.headers.get("idempotency-replayed")).toBeNull();
        for (const other of differ)
          expect((await service.call(...other)).json).toMatchObject({ code: "idempotency_mismatch", status: 422 });
      }
    });

    test("copies of them that arrive at once, at every instance, are carried out once", async () => {
      const { storage, boundless } = service;
      const isFleet = storage.DATABASE_URL.startsWith("postgres");
      const beside = isFleet ? await startService({ clock, env: storage, secret: boundless }) : service;
      for (let round = 0; round < 5; round++)
        for (const { send } of await others(`copies ${round}`)) {
          const copies = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? service : beside).call(...send));
          const answers = await Promise.all(copies);
          expect([200, 204]).toContain(answers[0]?.status as number);
          expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
          expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
        }
    });

    test("a refused move, update or removal is not remembered", async () => {
      const petId = (await create("refused pet")).json.id;
      const order = (await service.call("POST /store/orders", { body: { petId } })).json.id;
      const update = () =>
        service.call(`PATCH /pets/${petId}`, { body: { status: "sold" }, headers: withKey("refused update") });
      const deliver = () =>
        service.call(`PATCH /store/orders/${order}`, { body: { status: "delivered" }, headers: withKey("too early") });
      expect([(await update()).status, (await deliver()).status]).toEqual([409, 409]);
      await service.call(`PATCH /store/orders/${order}`, { body: { status: "approved" } });
      expect((await deliver()).status).toBe(200);
      await service.call(`PATCH /pets/${petId}`, { body: { status: "available" } });
      expect((await update()).status).toBe(200);
    });

    test("a retry of placeOrder has the reference, and another reference is a different request", async () => {
      const petId = (await create("pet with a reference")).json.id;
      const place = (reference?: string) =>
        service.call("POST /store/orders", { body: { petId, reference }, headers: withKey("referred") });
      const first = await place("INV-1");
      expect((await place("INV-1")).text).toBe(first.text);
      for (const other of ["INV-2", undefined]) expect((await place(other)).json.code).toBe("idempotency_mismatch");
    });

    test("50 copies that arrive together are carried out once, and all get the same answer", async () => {
      const before = await countPets();
      const answers = await Promise.all(Array.from({ length: 50 }, () => create("fifty")));
      expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(answers.filter((answer) => answer.headers.get("idempotency-replayed") === null)).toHaveLength(1);
      expect(await countPets()).toBe(before + 1);
    });

    test("a different body answers 422 idempotency_mismatch; the same in other words is the same", async () => {
      await create("m");
      for (const body of [
        { ...REX, name: "Mia" },
        { ...REX, categoryId: 8 },
        { ...REX, status: "sold" },
      ])
        expect((await create("m", body)).json).toMatchObject({ code: "idempotency_mismatch", status: 422 });
      expect((await create("m", '{ "categoryId": 7.0, "status": "available", "name": "Rex" }')).status).toBe(201);
      expect((await service.call("POST /store/orders", { body: { petId: 1 }, headers: withKey("m") })).json.code).toBe(
        "idempotency_mismatch",
      );
    });

    test("quoted or not, it is the same", async () => {
      const first = await create("quoted");
      expect((await create('"quoted"')).text).toBe(first.text);
    });

    test("each API key has its own", async () => {
      const other = await service.issueKey();
      const first = await create("mine");
      expect((await create("mine", REX, other.secret)).json.id).not.toBe(first.json.id);
    });

    test("1 to 255 printable characters; anything else answers 400 invalid_parameter", async () => {
      expect((await create("x".repeat(255))).status).toBe(201);
      for (const token of [
        "x".repeat(256),
        "",
        '""',
        "ä",
        "a\tb",
        '"abc',
        'abc"',
        '""abc""',
        '"a\\"b"',
        '"abc";p=1',
        "d1, d1",
      ])
        expect((await create(token)).json).toMatchObject({
          code: "invalid_parameter",
          status: 400,
          message: expect.stringContaining("Idempotency-Key"),
        });
    });

    test("only success is remembered: a retry after an error is carried out", async () => {
      expect((await create("retry", { name: "" })).status).toBe(400);
      expect((await create("retry")).status).toBe(201);
      const petId = (await create("pet")).json.id;
      const blocking = (await service.call("POST /store/orders", { body: { petId } })).json;
      const place = () => service.call("POST /store/orders", { body: { petId }, headers: withKey("late") });
      expect((await place()).status).toBe(409);
      await service.call(`PATCH /store/orders/${blocking.id}`, { body: { status: "cancelled" } });
      expect((await place()).status).toBe(201);
    });

    test("a replay counts against the quota as any request", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      await create("counted", REX, secret);
      expect((await create("counted", REX, secret)).headers.get("x-ratelimit-remaining")).toBe("58");
    });

    test("responses are saved for 24 hours at least, until they are deleted", async () => {
      const first = await create("day");
      clock.advance(86_400_000 - 1);
      expect((await create("day")).text).toBe(first.text);
      await service.withStore(({ maintenance }) => maintenance.deleteSavedResponses({ savedAtMs: clock.nowMs() }));
      expect((await create("day")).json.id).not.toBe(first.json.id);
    });

    test("a clock that is a day ahead for a moment expires nothing", async () => {
      const first = await create("jump");
      clock.jump(25 * 3_600_000);
      expect((await create("jump")).text).toBe(first.text);
      const during = await create("during");
      clock.jump(-25 * 3_600_000);
      expect((await create("jump")).text).toBe(first.text);
      clock.advance(86_400_000 - 1);
      expect((await create("during")).text).toBe(during.text);
    });

    test("saved responses survive a restart", async () => {
      const before = await startService();
      const send = (from: typeof before) =>
        from.call("POST /pets", { body: REX, headers: withKey("again"), secret: before.boundless });
      const first = await send(before);
      await before.stop();
      const after = await startService({ env: before.storage });
      const second = await send(after);
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect((await after.call("GET /pets")).json).toHaveLength(1);
    });
  });
});

describe("Idempotency-Key while another process holds SQLite's write lock", () => {
  let service: TestService;
  const create = (key: string) => service.call("POST /pets", { body: REX, headers: withKey(key) });
  setUp(async () => {
    service = await startOnSqlite();
  });

  test("a replay needs no lock", async () => {
    const first = await create("locked");
    const other = openDatabaseFile(service.path);
    other.run("BEGIN IMMEDIATE");
    expect((await create("locked")).text).toBe(first.text);
    other.run("ROLLBACK");
    other.close();
  });

  test("a copy that arrives while the first cannot finish answers 409 idempotency_in_progress", async () => {
    const other = openDatabaseFile(service.path);
    other.run("BEGIN IMMEDIATE");
    const first = create("slow");
    await Bun.sleep(20);
    const copy = await create("slow");
    expect(copy.json).toMatchObject({ code: "idempotency_in_progress", status: 409 });
    expect(copy.headers.get("retry-after")).toBe("2");
    other.run("ROLLBACK");
    other.close();
    const { status, text } = await first;
    expect(status).toBe(201);
    expect((await create("slow")).text).toBe(text);
  });
});
