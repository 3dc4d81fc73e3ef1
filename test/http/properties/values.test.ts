import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../../src/base/json/int64.ts";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../../src/base/text/text.ts";
import { startService } from "../../harness/service/service.ts";

const service = await startService();
const anyInt64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
);
const anyName = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
  )
  .filter((name) => mistakeInText(name, NAME_MAX_CODE_POINTS) === undefined);

const fieldsOf = (text: string) => {
  const [, id, name, categoryId, status] =
    /^\{"id":(\d+),"name":(".*"),"categoryId":(-?\d+),"status":"(\w+)"\}$/s.exec(text) ?? [];
  return { id, name: JSON.parse(name as string), categoryId, status };
};

test("every int64 and every name comes back exactly, from createPet, getPet and listPets", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyName,
      anyInt64,
      fc.constantFrom("available", "pending", "sold"),
      async (name, categoryId, status) => {
        const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
        const created = await service.call("POST /pets", { body });
        expect(created.status).toBe(201);
        const fields = fieldsOf(created.text);
        expect(fields).toMatchObject({ name, categoryId: String(categoryId), status });
        expect((await service.call(`GET /pets/${fields.id}`)).text).toBe(created.text);
        const cursor = Buffer.from(`after:${BigInt(fields.id as string) - 1n}`).toString("base64url");
        expect((await service.call(`GET /pets?limit=1&cursor=${cursor}`)).text).toBe(`[${created.text}]`);
      },
    ),
    { numRuns: 200 },
  );
});

test("every update that is valid comes back exactly, from updatePet and getPet, and is found by its name", async () => {
  const { json: pet } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
  await fc.assert(
    fc.asyncProperty(anyName, anyInt64, async (name, categoryId) => {
      const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`;
      const updated = await service.call(`PATCH /pets/${pet.id}`, { body });
      expect(updated.status).toBe(200);
      expect(fieldsOf(updated.text)).toMatchObject({ id: String(pet.id), name, categoryId: String(categoryId) });
      const { text, headers } = await service.call(`GET /pets/${pet.id}`);
      expect([text, headers.get("etag")]).toEqual([updated.text, updated.headers.get("etag")]);
      const found = await service.call(`GET /pets?limit=100&name=${encodeURIComponent(name)}`);
      expect(found.text).toContain(updated.text);
    }),
    { numRuns: 100 },
  );
});

test("any header whatever as a condition gets what the document describes, and If-None-Match is never a mistake", async () => {
  const { json: pet } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
  const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const tagLike = fc.array(fc.constantFrom('"', "W/", ",", " ", "*", "a", '"a"', ", "), { maxLength: 8 });
  const header = fc.oneof(
    visible,
    tagLike.map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      const read = await service.call(`GET /pets/${pet.id}`, { headers: { "If-None-Match": text } });
      expect([200, 304]).toContain(read.status);
      const options = { body: { categoryId: 1 }, headers: { "If-Match": text } };
      expect([200, 400, 412]).toContain((await service.call(`PATCH /pets/${pet.id}`, options)).status);
    }),
    { numRuns: 300 },
  );
});

/** send() has already checked that the answer is one that the document describes. */
const expectDoneOrError = async (body: string) => {
  for (const line of ["POST /pets", "PATCH /pets/1", "PUT /categories/1", "POST /store/orders"]) {
    const { status } = await service.call(line, { body });
    expect([200, 201, 400, 409, 413]).toContain(status);
  }
};

test("any JSON whatever gets 200, 201 or a 4xx with the Error shape, never a 5xx", async () => {
  await fc.assert(fc.asyncProperty(fc.json({ maxDepth: 5 }), expectDoneOrError), { numRuns: 300 });
  const nearly = fc.record(
    { name: fc.anything(), categoryId: fc.anything(), status: fc.anything(), id: fc.anything() },
    { requiredKeys: [] },
  );
  const asJson = (value: unknown) => {
    try {
      return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? String(part) : part)) ?? "";
    } catch {
      return "";
    }
  };
  await fc.assert(
    fc.asyncProperty(nearly, (value) => expectDoneOrError(asJson(value))),
    { numRuns: 300 },
  );
});

test("any text whatever as a body gets 200, 201 or a 4xx with the Error shape", async () => {
  await fc.assert(fc.asyncProperty(fc.string({ unit: "binary" }), expectDoneOrError), { numRuns: 200 });
});

test("any query and any path get an answer that the document describes, never a 5xx", async () => {
  const query = fc.array(
    fc.tuple(fc.oneof(fc.constantFrom("limit", "status", "cursor", "sort", "name", "id"), fc.string()), fc.string()),
    {
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      for (const list of ["/pets", "/store/orders", "/categories"]) {
        const { status } = await service.call(`GET ${list}?${new URLSearchParams(pairs)}`);
        expect([200, 400]).toContain(status);
      }
    }),
    { numRuns: 200 },
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), async (segment) => {
      fc.pre(segment.isWellFormed() && segment !== "." && segment !== "..");
      const { status } = await service.call(`GET /pets/${encodeURIComponent(segment)}`);
      expect([200, 404]).toContain(status);
    }),
    { numRuns: 200 },
  );
});

test("any Authorization header whatever gets 401 or 429, never a 400 or a 5xx", async () => {
  const header = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  await fc.assert(
    fc.asyncProperty(header, fc.boolean(), async (text, isBearer) => {
      const { status } = await service.call("GET /pets", {
        secret: null,
        headers: { Authorization: isBearer ? `Bearer ${text}` : text },
      });
      expect([401, 429]).toContain(status);
    }),
    { numRuns: 200 },
  );
});
