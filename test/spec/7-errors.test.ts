import { expect, test } from "bun:test";
import { FAULT_CODES, FAULTS } from "../../src/http/faults/fault.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("7 400: required fields missing or values invalid in the body of createPet", async () => {
    expect((await service.call("POST /pets", { body: {} })).json).toMatchObject({ code: "missing_field", status: 400 });
    expect((await service.call("POST /pets", { body: { name: 1, categoryId: 1 } })).json).toMatchObject({
      code: "invalid_value",
      status: 400,
    });
  });

  test("7 401: missing or invalid API key, on all operations", async () => {
    for (const line of ["GET /pets", "POST /pets", "GET /pets/1"]) {
      expect((await service.call(line, { secret: null })).json).toMatchObject({ code: "missing_api_key", status: 401 });
      expect((await service.call(line, { secret: "x" })).json).toMatchObject({ code: "invalid_api_key", status: 401 });
    }
  });

  test("7 404: the requested animal does not exist", async () => {
    expect((await service.call("GET /pets/1")).json).toMatchObject({ code: "pet_not_found", status: 404 });
  });

  test("7 429: rate limit exceeded, on all operations, with an Error body", async () => {
    for (const line of ["GET /pets", "POST /pets", "GET /pets/1", "DELETE /pets", "GET /nothing"]) {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1 } });
      await service.call("GET /pets", { secret });
      expect((await service.call(line, { secret })).json).toMatchObject({ code: "rate_limit_exceeded", status: 429 });
    }
  });

  test("7 every error names the status that it is sent with", async () => {
    for (const line of ["GET /pets?limit=0", "GET /pets/x", "PUT /pets", "GET /x"]) {
      const { status, json } = await service.call(line);
      expect(json.status).toBe(status);
      expect<number>(FAULTS[json.code as keyof typeof FAULTS][0]).toBe(status);
    }
  });

  test("7 the request id is in every answer, and one that was sent is kept if it is sane", async () => {
    const { headers } = await service.call("GET /pets/x");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      (await service.call("GET /pets", { headers: { "X-Request-Id": "edge-1.2_3" } })).headers.get("x-request-id"),
    ).toBe("edge-1.2_3");
    for (const id of ["a b", "x".repeat(65), '"', "a,b"])
      expect(
        (await service.call("GET /pets", { headers: { "X-Request-Id": id } })).headers.get("x-request-id"),
      ).not.toBe(id);
  });
});

test("7 the document has all codes, and leaves the type open for new ones", () => {
  const document = openapiDocument(DEFAULT_URLS) as {
    components: { schemas: { Error: { properties: { code: Record<string, unknown> } } } };
    info: { description: string };
  };
  const { code } = document.components.schemas.Error.properties;
  expect(code.enum).toBeUndefined();
  expect(code["x-extensible-enum"]).toEqual([...FAULT_CODES]);
  for (const code of FAULT_CODES) expect(document.info.description).toContain(`| \`${code}\` | ${FAULTS[code][0]} |`);
});
