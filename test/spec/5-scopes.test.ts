import { expect, test } from "bun:test";
import { ROTATION, SCOPES, type Scope } from "../../src/domain/keys/scope.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { OPERATIONS } from "../../src/http/operations/index.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import { freePort } from "../harness/servers/port.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

interface Described {
  readonly line: string;
  readonly scope: string | undefined;
  readonly description: string;
}

/** Every operation as the document has it, on something that does not exist, and HEAD wherever there is GET. */
const described: readonly Described[] = Object.entries(
  openapiDocument(DEFAULT_URLS).paths as Record<string, Record<string, Json>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { security, description }]) => {
    const target = path.replaceAll(/\{\w+\}/g, "404");
    const scope = security[0].apiKey[0];
    return (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]).map((name) => ({
      line: `${name} ${target}`,
      scope,
      description,
    }));
  }),
);

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
type Json = any;

test("5.4 the document names the scope of every operation, and only what shows the own key needs none", () => {
  expect(described.filter(({ scope }) => scope === undefined).map(({ line }) => line)).toEqual([
    "GET /key",
    "HEAD /key",
    "GET /key/usage",
    "HEAD /key/usage",
    "GET /key/requests",
    "HEAD /key/requests",
  ]);
  for (const { scope, description } of described)
    expect(description).toEndWith(
      scope === ROTATION
        ? " Needs the right `key:rotate`, which is no scope: the operator gives it to a key."
        : scope
          ? ` Needs the scope \`${scope}\`.`
          : " Any key may do this, whatever its scopes.",
    );
});

test("5.4 reading needs the scope to read, and writing the one to write", () => {
  for (const { name, method, scope } of OPERATIONS.filter(({ path }) => !path.startsWith("/key")))
    expect([name, scope]).toEqual([name, expect.stringMatching(method === "GET" ? /^\w+:read$/ : /^\w+:write$/)]);
});

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });
  const secretWith = async (...scopes: Scope[]): Promise<string> =>
    (await service.issueKey({ plan: "enterprise", scopes })).secret;
  /** A body that every operation refuses, once it has looked at it. */
  const send = (line: string, secret: string) =>
    service.call(line, { secret, ...(/^(GET|HEAD|DELETE) /.test(line) ? {} : { body: {} }) });

  for (const scope of SCOPES)
    test(`5.4 a key with ${scope} alone gets 403 from every operation that needs another one, and from no other`, async () => {
      const secret = await secretWith(scope);
      for (const { line, scope: needed } of described) {
        const { status, json, headers } = await send(line, secret);
        const isRefused = needed !== undefined && needed !== scope;
        expect([line, status === 403]).toEqual([line, isRefused]);
        expect(headers.get("www-authenticate")).toBe(
          isRefused ? `Bearer realm="animal-store", error="insufficient_scope", scope="${needed}"` : null,
        );
        if (!isRefused || line.startsWith("HEAD ")) continue;
        expect(json).toEqual({
          code: "insufficient_scope",
          message:
            needed === ROTATION
              ? "This API key may not rotate its own secret. Ask the operator to rotate it, or to allow it to the key."
              : `This API key may not do this: it lacks the scope ${needed}. Use a key that has it.`,
          status: 403,
        });
      }
    });

  test("5.4 a key with all scopes, as keys have by default, is never refused for want of one", async () => {
    const secret = await secretWith(...SCOPES);
    for (const { line } of described.filter(({ scope }) => scope !== ROTATION))
      for (const key of [secret, service.boundless]) expect((await send(line, key)).status).not.toBe(403);
  });

  test("5.4 a key that may only read changes nothing", async () => {
    const { json: pet } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
    const secret = await secretWith("pets:read", "orders:read");
    const writes: [string, object?][] = [
      ["POST /pets", { name: "Mia", categoryId: 1 }],
      [`PATCH /pets/${pet.id}`, { name: "Max" }],
      [`DELETE /pets/${pet.id}`],
      ["POST /store/orders", { petId: pet.id }],
    ];
    for (const [line, body] of writes)
      expect((await service.call(line, { secret, ...(body ? { body } : {}) })).status).toBe(403);
    expect((await service.call("GET /pets", { secret })).json).toEqual([pet]);
    expect((await service.call("GET /store/orders", { secret })).json).toEqual([]);
  });

  test("5.4 401, 429, 404 and 405 come before 403, and everything about the request itself after it", async () => {
    const secret = await secretWith("orders:read");
    expect((await service.call("GET /pets", { secret: "x" })).status).toBe(401);
    expect((await service.call("GET /nothing", { secret })).status).toBe(404);
    expect((await service.call("PUT /pets", { secret })).status).toBe(405);
    const refused = [
      service.call("GET /pets?limit=none", { secret }),
      service.call("GET /pets/none", { secret }),
      service.call("POST /pets", { secret, body: "not JSON" }),
      service.call("POST /pets", { secret, body: "{}", headers: { "Content-Type": "text/plain" } }),
      service.call("POST /pets", { secret, body: JSON.stringify("x".repeat(100_000)) }),
      service.call("POST /pets", { secret, body: {}, headers: { "Idempotency-Key": '"' } }),
      service.call("DELETE /pets/1", { secret, headers: { "If-Match": "none" } }),
    ];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual(refused.map(() => 403));
    const { secret: spent } = await service.issueKey({ quotas: { perMinute: 1, perDay: 1 }, scopes: [] });
    expect((await service.call("GET /pets", { secret: spent })).status).toBe(403);
    expect((await service.call("GET /pets", { secret: spent })).status).toBe(429);
  });

  test("5.4 a 403 shows in the metrics among the refusals", async () => {
    const measured = await startService({ env: { METRICS_PORT: String(await freePort()) } });
    const { secret } = await measured.issueKey({ scopes: ["orders:read"] });
    for (const line of ["GET /pets", "POST /pets", "GET /store/orders"]) await measured.call(line, { secret });
    const metrics = await (await fetch(measured.metricsUrl as string)).text();
    expect(metrics).toContain('animal_store_refusals_total{code="insufficient_scope"} 2');
  });

  test("5.4 a request refused with 403 is counted as any other, and its answer has all headers of one", async () => {
    const { secret } = await service.issueKey({ plan: "free", scopes: ["orders:read"] });
    for (const remaining of ["59", "58"]) {
      const { headers } = await service.call("GET /pets", { secret });
      expect(headers.get("x-ratelimit-remaining")).toBe(remaining);
    }
    const { headers } = await service.call("GET /pets/1", { secret });
    expect(headers.get("x-ratelimit-remaining")).toBe("57");
    expect(headers.get("deprecation")).toBe("@1794700800");
  });
});
