import { expect, test } from "bun:test";
import { RawConnection } from "../harness/requests/raw.ts";
import type { Answer } from "../harness/requests/send.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const etag = ({ headers }: Answer): string => headers.get("etag") as string;
/** The headers that two answers to the same question must have in common. */
const lasting = ({ headers }: Answer) =>
  ["etag", "link", "cache-control", "x-ratelimit-limit", "ratelimit-policy", "deprecation", "sunset"].map((name) => [
    name,
    headers.get(name),
  ]);

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });
  const create = (name = "Rex", categoryId = 1) => service.call("POST /pets", { body: { name, categoryId } });
  const unlessKnown = (line: string, tag: string) => service.call(line, { headers: { "If-None-Match": tag } });
  const ifMatch = (line: string, tag: string, body?: object) =>
    service.call(line, { headers: { "If-Match": tag }, ...(body ? { body } : {}) });

  test("4.4 an animal has the same strong tag wherever it is read by itself", async () => {
    const created = await create();
    const { id } = created.json;
    expect(etag(created)).toMatch(/^"[\w-]{22}"$/);
    expect(etag(await service.call(`GET /pets/${id}`))).toBe(etag(created));
    expect(etag(await service.call(`HEAD /pets/${id}`))).toBe(etag(created));
    for (const query of [`id=${id}`, `id=${id}&limit=1`, `id=${id}&limit=100`])
      expect(etag(await service.call(`GET /pets?${query}`))).toBe(etag(created));
    const other = await create();
    for (const query of [`id=${id}&id=${other.json.id}`, `id=${id}&id=404404`, "limit=1", "id=404404"])
      expect(etag(await service.call(`GET /pets?${query}`))).not.toBe(etag(created));
  });

  test("4.4 an animal's tag changes with each of its fields, and comes back with what it stood for", async () => {
    const created = await create();
    const path = `/pets/${created.json.id}`;
    const tags = new Set([etag(created)]);
    for (const body of [{ name: "Max" }, { categoryId: 2 }, { status: "pending" }]) {
      const updated = await service.call(`PATCH ${path}`, { body });
      expect(etag(await service.call(`GET ${path}`))).toBe(etag(updated));
      tags.add(etag(updated));
    }
    expect(tags.size).toBe(4);
    expect(etag(await service.call(`PATCH ${path}`, { body: { status: "pending" } }))).toBe([...tags][3] as string);
    const back = await service.call(`PATCH ${path}`, { body: { name: "Rex", categoryId: 1, status: "available" } });
    expect(etag(back)).toBe(etag(created));
  });

  test("4.4 an order has a tag that changes when it moves, and its animal's changes with it", async () => {
    const pet = await create();
    const placed = await service.call("POST /store/orders", { body: { petId: pet.json.id } });
    const path = `/store/orders/${placed.json.id}`;
    expect(etag(await service.call(`GET ${path}`))).toBe(etag(placed));
    expect(etag(await service.call(`GET /pets/${pet.json.id}`))).not.toBe(etag(pet));
    const moved = await service.call(`PATCH ${path}`, { body: { status: "approved" } });
    expect(etag(moved)).not.toBe(etag(placed));
    expect(etag(await service.call(`GET ${path}`))).toBe(etag(moved));
    expect(etag(await service.call("GET /store/orders?petId=404404"))).not.toBe(etag(moved));
  });

  test("4.4 a page has a tag of its own, which changes with any row, and when there is a next page", async () => {
    const categoryId = 4411;
    const first = await create("a", categoryId);
    const line = `GET /pets?categoryId=${categoryId}&limit=1`;
    const alone = await service.call(line);
    await create("b", categoryId);
    const followed = await service.call(line);
    expect([alone.headers.has("link"), followed.headers.has("link")]).toEqual([false, true]);
    expect(followed.text).toBe(alone.text);
    expect(etag(followed)).not.toBe(etag(alone));
    await service.call(`PATCH /pets/${first.json.id}`, { body: { name: "c" } });
    expect(etag(await service.call(line))).not.toBe(etag(followed));
  });

  test("4.4 If-None-Match: 304 without a body, with the headers of 200, and counted as any request", async () => {
    const { secret } = await service.issueKey({ plan: "free" });
    const pet = await create();
    await create();
    const order = await service.call("POST /store/orders", { body: { petId: pet.json.id } });
    const paths = [`/pets/${pet.json.id}`, `/pets?id=${pet.json.id}`, "/pets?limit=1", "/pets?id=404404"];
    const all = [...paths, "/store/orders", `/store/orders/${order.json.id}`];
    let remaining = 60;
    for (const path of all)
      for (const method of ["GET", "HEAD"]) {
        const known = await service.call(`${method} ${path}`, { secret });
        const same = await service.call(`${method} ${path}`, { secret, headers: { "If-None-Match": etag(known) } });
        expect([path, known.status, same.status, same.text]).toEqual([path, 200, 304, ""]);
        expect(lasting(same)).toEqual(lasting(known));
        remaining -= 2;
        expect(same.headers.get("x-ratelimit-remaining")).toBe(String(remaining));
      }
    expect(lasting(await unlessKnown(`GET ${all[0]}`, "*"))[5]).toEqual(["deprecation", "@1794700800"]);
  });

  test("4.4 a 304 on the wire ends with its headers, and the connection goes on", async () => {
    const tag = etag(await service.call("GET /pets"));
    const connection = await RawConnection.open(service.origin);
    const request = (more = "") =>
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.boundless}\r\nIf-None-Match: ${tag}\r\n${more}\r\n`;
    connection.send(request());
    await connection.until((received) => received.endsWith("\r\n\r\n"));
    connection.send(request("Connection: close\r\n"));
    const received = await connection.until(() => false);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 304", "HTTP/1.1 304"]);
    expect(received).not.toMatch(/content-type|content-length|transfer-encoding/i);
    connection.destroy();
  });

  test("4.4 If-None-Match takes weak tags, lists and *, is sent twice as a list, and nonsense is ignored", async () => {
    const pet = await create();
    const line = `GET /pets/${pet.json.id}`;
    const tag = etag(pet);
    for (const known of [`W/${tag}`, `"x", ${tag}`, `${tag}, "x"`, `, ${tag},`, "*", `"a,b",${tag}`])
      expect([known, (await unlessKnown(line, known)).status]).toEqual([known, 304]);
    for (const unknown of ['"x"', tag.slice(1, -1), `*, ${tag}`, `${tag} x`, "", `${tag},${'"x",'.repeat(300)}`])
      expect([unknown, (await unlessKnown(line, unknown)).status]).toEqual([unknown, 200]);
    const connection = await RawConnection.open(service.origin);
    connection.send(
      `GET /v1/pets/${pet.json.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.boundless}\r\nIf-None-Match: "x"\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`,
    );
    expect(await connection.until(() => false)).toStartWith("HTTP/1.1 304");
    connection.destroy();
  });

  test("4.4 errors come before 304: there is no tag for what is not there", async () => {
    for (const [line, status] of [
      ["GET /pets/404404", 404],
      ["GET /pets?limit=0", 400],
      ["GET /nothing", 404],
    ] as const) {
      const answer = await unlessKnown(line, "*");
      expect([line, answer.status, answer.headers.has("etag")]).toEqual([line, status, false]);
    }
    expect((await service.call("GET /pets", { secret: null, headers: { "If-None-Match": "*" } })).status).toBe(401);
  });

  test("4.4 If-Match: made if the tag is the current one, or *; otherwise 412, and nothing is changed", async () => {
    const created = await create();
    const path = `/pets/${created.json.id}`;
    const first = await ifMatch(`PATCH ${path}`, etag(created), { name: "Max" });
    expect(first.status).toBe(200);
    const page = await service.call(`GET /pets?id=${created.json.id}&id=404404`);
    for (const [tag, message] of [
      [etag(created), "If-Match does not have the ETag of what is there now. Get it again, by itself,"],
      [etag(page), "If-Match does not have the ETag of what is there now. Get it again, by itself,"],
      [`W/${etag(first)}, "x"`, "If-Match does not have the ETag of what is there now."],
      [`W/${etag(first)}`, "If-Match has only weak tags"],
      [`W/"x", W/${etag(first)}`, "If-Match has only weak tags"],
    ] as const)
      for (const answer of [
        await ifMatch(`PATCH ${path}`, tag, { name: "Tom" }),
        await ifMatch(`DELETE ${path}`, tag),
      ]) {
        expect(answer.json).toMatchObject({ code: "precondition_failed", status: 412 });
        expect(answer.json.message).toStartWith(message);
      }
    expect((await service.call(`GET ${path}`)).json.name).toBe("Max");
    const listed = await service.call(`GET /pets?id=${created.json.id}`);
    expect((await ifMatch(`PATCH ${path}`, `"x", ${etag(listed)}`, { name: "Tom" })).status).toBe(200);
    expect((await ifMatch(`PATCH ${path}`, "*", { name: "Ben" })).status).toBe(200);
    const removed = await ifMatch(`DELETE ${path}`, "*");
    expect([removed.status, removed.text, removed.headers.has("etag")]).toEqual([204, "", false]);
  });

  test("4.4 404 comes before 412, and 412 before 409", async () => {
    const pet = await create();
    const order = await service.call("POST /store/orders", { body: { petId: pet.json.id } });
    const [petPath, orderPath] = [`/pets/${pet.json.id}`, `/store/orders/${order.json.id}`];
    const statuses = async (tag: string, id?: number) => [
      (await ifMatch(`PATCH ${id ? `/pets/${id}` : petPath}`, tag, { status: "sold" })).status,
      (await ifMatch(`DELETE ${id ? `/pets/${id}` : petPath}`, tag)).status,
      (await ifMatch(`PATCH ${id ? `/store/orders/${id}` : orderPath}`, tag, { status: "delivered" })).status,
    ];
    for (const tag of ['"x"', "*", 'W/"x"']) expect(await statuses(tag, 404404)).toEqual([404, 404, 404]);
    expect(await statuses(etag(pet))).toEqual([412, 412, 412]);
    expect(await statuses("*")).toEqual([409, 409, 409]);
    expect((await ifMatch(`PATCH ${orderPath}`, etag(order), { status: "approved" })).status).toBe(200);
  });

  test("4.4 an If-Match that is neither * nor tags is 400, after the body and before the work", async () => {
    const pet = await create();
    const path = `/pets/${pet.json.id}`;
    for (const tag of ["", "x", etag(pet).slice(1, -1), `*, ${etag(pet)}`, '"a b"', `"${"x".repeat(1000)}"`]) {
      const { status, json } = await ifMatch(`PATCH ${path}`, tag, { name: "Max" });
      expect([tag, status, json.code]).toEqual([tag, 400, "invalid_parameter"]);
      expect((await ifMatch(`DELETE ${path}`, tag)).json.code).toBe("invalid_parameter");
    }
    expect((await ifMatch(`PATCH ${path}`, "x", { name: 1 })).json.code).toBe("invalid_value");
    expect((await service.call(`GET ${path}`)).json).toEqual(pet.json);
  });

  test("4.4 no write is made against its If-None-Match: * is 412 for what there is and 404 for what there is not, all else 400", async () => {
    const pet = await create();
    const order = await service.call("POST /store/orders", { body: { petId: (await create()).json.id } });
    await service.call("PUT /categories/4413", { body: { name: "Conditional" } });
    const writes = (id?: number): [line: string, body?: object][] => [
      [`PATCH /pets/${id ?? pet.json.id}`, { name: "Max" }],
      [`DELETE /pets/${id ?? pet.json.id}`],
      [`PATCH /store/orders/${id ?? order.json.id}`, { status: "approved" }],
      [`DELETE /categories/${id ?? 4413}`],
    ];
    const send = async (line: string, headers: Record<string, string>, body?: object) =>
      (await service.call(line, { headers, ...(body ? { body } : {}) })).json;
    for (const [line, body] of writes()) {
      const refused = await send(line, { "If-None-Match": "*" }, body);
      expect([line, refused.status, refused.code]).toEqual([line, 412, "precondition_failed"]);
      expect(refused.message).toContain("send the request without If-None-Match");
      for (const tag of [etag(pet), "", "x", 'W/"x"', '*, "x"'])
        expect(await send(line, { "If-None-Match": tag }, body)).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining("The If-None-Match header of a write must be *"),
        });
      for (const tag of ["*", '"x"', etag(pet)])
        expect(await send(line, { "If-None-Match": tag, "If-Match": tag }, body)).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining("Send one of them"),
        });
    }
    for (const [line, body] of writes(404404))
      expect((await send(line, { "If-None-Match": "*" }, body)).status).toBe(404);
    expect((await service.call(`GET /pets/${pet.json.id}`)).json).toEqual(pet.json);
    expect((await service.call(`GET /store/orders/${order.json.id}`)).json).toEqual(order.json);
    expect((await service.call("GET /categories/4413")).status).toBe(200);
    const added = { body: { name: "Rex", categoryId: 1 }, headers: { "If-None-Match": "*", "If-Match": "x" } };
    expect((await service.call("POST /pets", added)).status).toBe(201);
  });

  test("4.4 a retry with its Idempotency-Key gets its first answer, although its If-Match is no longer met", async () => {
    const pet = await create();
    const path = `/pets/${pet.json.id}`;
    const headers = { "If-Match": etag(pet), "Idempotency-Key": crypto.randomUUID() };
    const first = await service.call(`PATCH ${path}`, { headers, body: { name: "Max" } });
    const retried = await service.call(`PATCH ${path}`, { headers, body: { name: "Max" } });
    expect([first.status, retried.status, retried.text, etag(retried)]).toEqual([200, 200, first.text, etag(first)]);
    expect(retried.headers.get("idempotency-replayed")).toBe("true");
  });

  test("4.4 of 20 updates with the same tag, exactly one is made", async () => {
    const pet = await create();
    const line = `PATCH /pets/${pet.json.id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ifMatch(line, etag(pet), { name: `name ${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
    const made = answers.find(({ status }) => status === 200) as Answer;
    expect((await service.call(`GET /pets/${pet.json.id}`)).json).toEqual(made.json);
  });
});
