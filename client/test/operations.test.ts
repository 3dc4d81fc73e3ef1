import { expect, test } from "bun:test";
import { type ApiDocument, type ApiOperation, inlined } from "../../scripts/api-document.ts";
import { assertDescribed } from "../../test/harness/checks/openapi.ts";
import { AnimalStore, type Call } from "../src/index.ts";
import { parseObviously } from "./harness/obvious-json.ts";
import { startTarget } from "./harness/target.ts";

const document: ApiDocument = inlined(await Bun.file(new URL("../../openapi.json", import.meta.url)).json());
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** The properties of the body that an operation takes. */
function bodyFields({ requestBody }: ApiOperation): string[] {
  const name = requestBody?.content?.["application/json"].schema.$ref?.replace(/.*\//, "");
  return Object.keys(document.components.schemas[name ?? ""]?.properties ?? {});
}

/** Everything that the interface accepts: operations, parameters and fields of bodies. */
const everything = operations.flatMap(({ operation }) => [
  operation.operationId,
  ...(operation.parameters ?? []).map((parameter) => `${operation.operationId} ${parameter.in} ${parameter.name}`),
  ...bodyFields(operation).map((field) => `${operation.operationId} body ${field}`),
]);

/** The part of it that a request uses. */
function usedBy(url: string, { method, headers, body }: RequestInit): string[] {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.replace("/v1", "");
  const found = operations.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/, "[^/]+")}$`).test(path),
  );
  if (!found) throw new Error(`The interface has no ${method} ${path}.`);
  const { operationId, parameters = [] } = found.operation;
  const given = new Headers(headers);
  return [
    operationId,
    ...parameters.filter((one) => one.in === "path").map(({ name }) => `${operationId} path ${name}`),
    ...[...searchParams.keys()].map((name) => `${operationId} query ${name}`),
    ...parameters
      .filter((one) => one.in === "header" && given.has(one.name))
      .map(({ name }) => `${operationId} header ${name}`),
    ...Object.keys(JSON.parse(String(body || "{}"))).map((name) => `${operationId} body ${name}`),
  ];
}

/** A client whose requests are recorded, and whose responses are checked against the OpenAPI document. */
async function noted() {
  const service = await startTarget();
  const used = new Set<string>();
  const store = new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.boundless,
    onDeprecated: () => {},
    fetch: async (url, init) => {
      for (const part of usedBy(url, init)) used.add(part);
      const response = await fetch(url, init);
      const path = new URL(url).pathname.replace("/v1", "");
      assertDescribed(String(init.method), path, response.status, response.headers, await response.clone().text());
      return response;
    },
  });
  /** Checks that a read through the client gives the same as a bare request. */
  const reads = async <T>(line: string, call: Call<T>): Promise<void> => {
    const bare = await service.call(`GET ${line}`);
    const { data, status, etag } = await call.withResponse();
    const items = (data as { items?: unknown } | undefined)?.items ?? data;
    expect([line, status, etag, items as unknown]).toEqual([
      line,
      bare.status,
      bare.headers.get("etag") ?? undefined,
      parseObviously(bare.text),
    ]);
  };
  /** Checks that a bare request repeats the client's write, and gets the same response. */
  const writes = async <T>(
    line: string,
    body: string | undefined,
    call: (options: { idempotencyKey: string }) => Call<T>,
    headers: Record<string, string> = {},
  ): Promise<T> => {
    const idempotencyKey = crypto.randomUUID();
    const { data, status, etag } = await call({ idempotencyKey }).withResponse();
    const bare = await service.call(line, {
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, "Idempotency-Key": idempotencyKey },
    });
    expect([line, bare.headers.get("idempotency-replayed")]).toEqual([line, "true"]);
    expect([status, etag, data as unknown]).toEqual([
      bare.status,
      bare.headers.get("etag") ?? undefined,
      bare.text === "" ? undefined : parseObviously(bare.text),
    ]);
    return data;
  };
  return { service, store, used, reads, writes };
}

const BIG = "9223372036854775807";

test("all of the interface can be reached through the client, and gives what a bare request gives", async () => {
  const { store, used, reads, writes } = await noted();

  const rex = await writes("POST /pets", `{"name":"Rex","categoryId":${BIG},"status":"available"}`, (options) =>
    store.pets.create({ name: "Rex", categoryId: BigInt(BIG), status: "available" }, options),
  );
  expect(rex).toEqual({ id: "1", name: "Rex", categoryId: BIG, status: "available" });
  const mia = await store.pets.create({ name: "Mia", categoryId: 3 });
  await store.pets.create({ name: "Tom", categoryId: 3 });

  await reads("/pets", store.pets.list());
  await reads("/pets?limit=2", store.pets.list({ limit: 2 }));
  const { nextCursor } = await store.pets.list({ limit: 2 });
  await reads(`/pets?cursor=${nextCursor}`, store.pets.list({ cursor: nextCursor }));
  await reads("/pets?status=sold", store.pets.list({ status: "sold" }));
  await reads(`/pets?categoryId=${BIG}`, store.pets.list({ categoryId: BIG }));
  await reads("/pets?id=1&id=3", store.pets.list({ id: [1, "3"] }));
  await reads("/pets?id=1", store.pets.list({ id: 1n }));
  await reads("/pets?sort=-id", store.pets.list({ sort: "-id" }));
  await reads("/pets?name=m", store.pets.list({ name: "m" }));
  await reads("/pets/1", store.pets.get(1));
  expect(await store.pets.find(mia.id)).toEqual(mia);
  expect(await store.pets.find(99)).toBeUndefined();

  const { etag: tag } = await store.pets.find(mia.id).withResponse();
  await writes(
    `PATCH /pets/${mia.id}`,
    '{"name":"Mimi","categoryId":-5,"status":"pending"}',
    (options) =>
      store.pets.update(mia.id, { name: "Mimi", categoryId: -5, status: "pending" }, { ...options, ifMatch: tag }),
    { "If-Match": String(tag) },
  );
  const { etag: newTag } = await store.pets.find(mia.id).withResponse();
  await writes(
    `DELETE /pets/${mia.id}`,
    undefined,
    (options) => store.pets.delete(mia.id, { ...options, ifMatch: newTag }),
    { "If-Match": String(newTag) },
  );

  await writes(
    "PUT /categories/7",
    '{"name":"Dogs"}',
    (options) => store.categories.put(7, { name: "Dogs" }, { ...options, ifNoneMatch: "*" }),
    { "If-None-Match": "*" },
  );
  const { etag: dogs } = await store.categories.get(7).withResponse();
  await store.categories.put(7, { name: "Hounds" }, { ifMatch: dogs });
  await store.categories.put(BIG, { name: "Others" });
  await reads("/categories", store.categories.list());
  await reads("/categories?limit=1&name=h", store.categories.list({ limit: 1, name: "h" }));
  const categories = await store.categories.list({ limit: 1 });
  await reads(`/categories?cursor=${categories.nextCursor}`, store.categories.list({ cursor: categories.nextCursor }));
  await reads(`/categories/${BIG}`, store.categories.get(BIG));
  const { etag: others } = await store.categories.get(BIG).withResponse();
  await writes(
    `DELETE /categories/${BIG}`,
    undefined,
    (options) => store.categories.delete(BIG, { ...options, ifMatch: others }),
    { "If-Match": String(others) },
  );

  const order = await writes("POST /store/orders", '{"petId":1,"reference":"a+b"}', (options) =>
    store.orders.place({ petId: rex.id, reference: "a+b" }, options),
  );
  await store.orders.place({ petId: 3 });
  await reads("/store/orders", store.orders.list());
  await reads("/store/orders?limit=1&sort=-id", store.orders.list({ limit: 1, sort: "-id" }));
  const orders = await store.orders.list({ limit: 1 });
  await reads(`/store/orders?cursor=${orders.nextCursor}`, store.orders.list({ cursor: orders.nextCursor }));
  await reads("/store/orders?petId=3&status=placed", store.orders.list({ petId: 3, status: "placed" }));
  await reads("/store/orders?reference=a%2Bb", store.orders.list({ reference: "a+b" }));
  await reads("/store/orders/1", store.orders.get(order.id));
  const { etag: placed } = await store.orders.get(order.id).withResponse();
  await writes(
    "PATCH /store/orders/1",
    '{"status":"approved"}',
    (options) => store.orders.approve(order.id, { ...options, ifMatch: placed }),
    { "If-Match": String(placed) },
  );
  await writes("PATCH /store/orders/1", '{"status":"delivered"}', (options) => store.orders.deliver(1, options));
  await writes("PATCH /store/orders/2", '{"status":"cancelled"}', (options) => store.orders.cancel(2n, options));
  expect(await store.orders.list({ status: "cancelled" })).toMatchObject({ items: [{ id: "2", petId: "3" }] });
  expect(await store.key()).toMatchObject({ plan: "enterprise", quotas: [{ window: "minute" }, { window: "day" }] });

  const resetsAtMs = Date.parse((await store.key()).quotas[0]?.resetAt ?? "");
  const query = { by: "hour" as const, since: new Date(resetsAtMs - 3_600_000).toISOString() };
  expect((await store.keyUsage(query)).length).toBeWithin(1, 4);
  const kept = { limit: 1, cursor: "000000000000002a", status: "4xx", code: "pet_not_found", until: query.since };
  expect((await store.keyRequests({ ...kept, since: "2026-11-15T00:00:00Z" })).items).toEqual([]);
  const rotation = store.rotateKey({ overlapSeconds: 3600 }, { idempotencyKey: "rotation" });
  expect(await rotation.catch((error) => error)).toMatchObject({ status: 403, code: "insufficient_scope" });

  const unchanged = [
    async (ifNoneMatch?: string) => store.pets.list({}, { ifNoneMatch }).withResponse(),
    async (ifNoneMatch?: string) => store.pets.get(1, { ifNoneMatch }).withResponse(),
    async (ifNoneMatch?: string) => store.categories.list({}, { ifNoneMatch }).withResponse(),
    async (ifNoneMatch?: string) => store.categories.get(7, { ifNoneMatch }).withResponse(),
    async (ifNoneMatch?: string) => store.orders.list({}, { ifNoneMatch }).withResponse(),
    async (ifNoneMatch?: string) => store.orders.get(1, { ifNoneMatch }).withResponse(),
  ];
  for (const read of unchanged) {
    const { data, etag } = await read();
    expect(data).toBeDefined();
    expect(await read(etag)).toMatchObject({ status: 304, data: undefined, etag });
  }

  expect(everything.filter((part) => !used.has(part))).toEqual([]);
});

test("the key is what a bare request gives, but for the requests in between", async () => {
  const { service, store } = await noted();
  const { quotas: bare, ...rest } = (await service.call("GET /key")).json;
  const { quotas, ...key } = await store.key();
  expect<unknown>(key).toEqual(rest);
  expect(quotas.map(({ window, limit }) => [window, limit])).toEqual(
    bare.map(({ window, limit }: { window: string; limit: number }) => [window, limit]),
  );
  expect(quotas.map(({ remaining }) => remaining)).toEqual(
    bare.map(({ remaining }: { remaining: number }) => remaining - 1),
  );
});

test("an error has the code, the message and the status of the service", async () => {
  const { service, store } = await noted();
  const bare = await service.call("GET /store/orders/77");
  const error = await store.orders.get("77").catch((error) => error);
  expect(error).toMatchObject({ ...bare.json, attempts: 1 });
});

test("a secret that is rotated works beside the old one, and the same call gets it again", async () => {
  const { origin, issueKey } = await startTarget();
  const { secret: apiKey } = await issueKey({ mayRotate: true });
  const store = new AnimalStore({ baseUrl: `${origin}/v1`, apiKey });
  const options = { idempotencyKey: "leaked" };
  const rotated = await store.rotateKey({}, options);
  expect([rotated.id, rotated.secret]).toEqual([expect.stringMatching(/^key_/), expect.stringMatching(/^ask_/)]);
  expect(await store.rotateKey({}, options)).toEqual(rotated);
  const renewed = store.withOptions({ apiKey: rotated.secret });
  expect((await renewed.key()).name).toBe((await store.key()).name);
  expect(await store.rotateKey().catch(({ code }) => code)).toBe("secret_replaced");
  // Only the secret that a rotation was asked with opens its answer.
  expect(await renewed.rotateKey({}, options).catch(({ code }) => code)).toBe("idempotency_mismatch");
});
