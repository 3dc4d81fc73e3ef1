import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { CallOptions } from "../harness/requests/send.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

interface Listed {
  readonly id: number;
  readonly at: string;
  readonly path: string;
  readonly status: number;
  readonly code?: string;
  readonly requestId: string;
}

onEveryStore(({ startService, setUp, backend }) => {
  const clock = new FakeClock();
  let service: TestService;
  let own: { readonly id: string; readonly secret: string };
  let busy: { readonly id: string; readonly secret: string };
  let answered: { readonly message: string; readonly requestId: string };
  let secretInPath = "";
  const begunAtMs = clock.nowMs();

  /** Sends requests to a service and stops it: then they are stored. The tests ask another one. */
  setUp(async () => {
    const first = await startService({ clock });
    own = await first.issueKey({ plan: "enterprise", scopes: ["pets:read", "pets:write"] });
    busy = await first.issueKey({ plan: "enterprise", quotas: { perMinute: 150, perDay: 1_000 } });
    const other = await first.issueKey();
    secretInPath = other.secret;
    const call = (line: string, options: CallOptions = {}) => first.call(line, { secret: own.secret, ...options });
    await call("GET /pets?limit=1&name=Rex");
    clock.advance(MINUTE_MS);
    const headers = { "Idempotency-Key": '"order-1"', "X-Request-Id": "mine" };
    const body = { name: "", categoryId: 1, "grüße 🐕": 7 };
    const { json } = await call("POST /pets", { headers, body });
    answered = { message: json.message, requestId: "mine" };
    clock.advance(MINUTE_MS);
    await call(`GET /pets/${secretInPath}?key=${secretInPath}`);
    await call("GET /store/orders");
    await call(`GET /pets?${secretInPath}=1`);
    clock.advance(HOUR_MS);
    await call("HEAD /pets", { headers: { "Idempotency-Key": "no-write" } });
    await call("POST /pets", { body: { name: "Rex", categoryId: 7 }, headers: { "Idempotency-Key": secretInPath } });
    await first.call("GET /pets", { secret: other.secret });
    await first.call("GET /pets", { secret: null });
    for (let i = 0; i < 300; i++) await first.call("GET /pets/none", { secret: busy.secret });
    await first.stop();
    clock.advance(HOUR_MS);
    // It keeps none itself, so that the lists stay as they are.
    service = await startService({ clock, env: { ...first.storage, REQUEST_LOG_DAYS: "0" } });
  });

  const list = async (query = "", secret = own.secret) => {
    const answer = await service.call(`GET /key/requests${query}`, { secret });
    expect(answer.status).toBe(200);
    return { ...answer, json: answer.json as Listed[] };
  };
  const iso = (ms: number): string => new Date(ms).toISOString();

  test("4.4 listKeyRequests lists the requests of the caller's own key, the newest first, each with its outcome", async () => {
    const { json, headers } = await list();
    expect(json.map(({ path, status, code }) => [path, status, code])).toEqual([
      ["/v1/pets", 201, undefined],
      ["/v1/pets", 200, undefined],
      ["/v1/pets", 400, "invalid_parameter"],
      ["/v1/store/orders", 403, "insufficient_scope"],
      ["/v1/pets/ask_…", 404, "pet_not_found"],
      ["/v1/pets", 400, "invalid_value"],
      ["/v1/pets", 200, undefined],
    ]);
    expect(json.map(({ at }) => at).sort()).toEqual(json.map(({ at }) => at).toReversed());
    expect(json.at(-1)?.at).toBe(iso(begunAtMs));
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("etag")).toBe(false);
    expect(headers.has("link")).toBe(false);
  });

  test("4.4 a failed request has the message that the client got, its request id and its idempotency key", async () => {
    const [failed, ...others] = (await list("?code=invalid_value")).json;
    expect(others).toEqual([]);
    expect(failed).toEqual({
      id: expect.any(Number),
      at: iso(begunAtMs + MINUTE_MS),
      method: "POST",
      path: "/v1/pets",
      status: 400,
      code: "invalid_value",
      ...answered,
      idempotencyKey: "order-1",
      latencyMs: expect.any(Number),
    } as unknown as Listed);
    expect(answered.message).toContain("grüße 🐕");
    const [created, head] = (await list()).json as unknown as Record<string, unknown>[];
    expect(head).toMatchObject({ method: "HEAD" });
    for (const absent of ["code", "message", "idempotencyKey"]) expect(head).not.toHaveProperty(absent);
    expect(created).not.toHaveProperty("message");
  });

  test("4.4 no query, body, address or secret is kept, wherever it was sent", async () => {
    const kept = JSON.stringify(await backend.query(service.storage, "SELECT * FROM kept_requests"), (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(kept).toContain("grüße");
    for (const sent of ["Rex", "127.0.0.1", "limit=1", secretInPath.slice(4, 30), own.secret.slice(4, 30)])
      expect([sent, kept.includes(sent)]).toEqual([sent, false]);
  });

  test("4.4 the pages of the list follow each other by Link, with all filters", async () => {
    const all = (await list()).json.map(({ id }) => id);
    for (const limit of [1, 3, 6, 7]) {
      const ids: number[] = [];
      for (let next: string | undefined = `?limit=${limit}`; next; ) {
        const page: Awaited<ReturnType<typeof list>> = await list(next);
        ids.push(...page.json.map(({ id }) => id));
        next = /<[^>]+requests(\?[^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
      }
      expect(ids).toEqual(all);
    }
    const since = iso(begunAtMs + MINUTE_MS);
    const filtered = await list(
      `?status=4xx&limit=1&since=${since}&until=${iso(begunAtMs + HOUR_MS)}&code=invalid_value`,
    );
    expect(filtered.headers.has("link")).toBe(false);
    const link = (await list(`?status=4xx&limit=1&since=${since}`)).headers.get("link") ?? "";
    for (const part of ["limit=1", "status=4xx", `since=${since}`, "cursor="]) expect(link).toContain(part);
  });

  test("4.4 status, code, since and until leave out what does not match", async () => {
    const found = async (query: string) => (await list(query)).json.map(({ status }) => status);
    expect(await found("?status=4xx")).toEqual([400, 403, 404, 400]);
    expect(await found("?status=400")).toEqual([400, 400]);
    expect(await found("?status=2xx")).toEqual([201, 200, 200]);
    expect(await found("?status=5xx")).toEqual([]);
    expect(await found("?code=pet_not_found")).toEqual([404]);
    expect(await found("?code=none_such")).toEqual([]);
    const minute = begunAtMs + MINUTE_MS;
    expect(await found(`?since=${iso(minute)}&until=${iso(minute + 1)}`)).toEqual([400]);
    expect(await found(`?until=${iso(minute)}`)).toEqual([200]);
    expect(await found(`?since=${iso(minute + HOUR_MS)}`)).toEqual([201, 200]);
    expect(await found(`?since=${iso(minute + HOUR_MS).replace("Z", "%2B00:00")}`)).toEqual([201, 200]);
  });

  test("4.4 a wrong filter answers 400 and says what is wrong with it", async () => {
    for (const [query, said] of [
      ["status=4XX", '"status" must be a status such as 400, or a class such as 4xx'],
      ["status=600", '"status"'],
      ["code=", '"code"'],
      [`code=${"x".repeat(65)}`, '"code"'],
      ["since=2026-11-15", '"since" must be a time with a time zone, such as 2026-11-15T00:00:00Z'],
      ["since=2026-02-30T00:00:00Z", '"since"'],
      ["until=2026-11-15T09:30:00", '"until"'],
      ["until=99999", '"until"'],
      ["since=2026-11-15T00:00:00Z&until=2026-11-15T00:00:00Z", '"until" must be later than "since"'],
      ["cursor=x", '"cursor"'],
      ["limit=101", '"limit"'],
      ["keyId=key_1", '"keyId"'],
    ]) {
      const { status, json } = await service.call(`GET /key/requests?${query}`, { secret: own.secret });
      expect([query, status, json.code]).toEqual([query as string, 400, "invalid_parameter"]);
      expect(json.message).toContain(said as string);
    }
    expect((await service.call("GET /key/requests", { secret: null })).status).toBe(401);
    expect((await service.call("POST /key/requests", { secret: own.secret })).headers.get("allow")).toBe("GET, HEAD");
  });

  test("4.4 of a key and hour, 100 errors and refusals are kept, and the rest is counted", async () => {
    const { json } = await list("?limit=100", busy.secret);
    expect(json).toHaveLength(100);
    expect(new Set(json.map(({ id }) => id)).size).toBe(100);
    const counted = await backend.query(
      service.storage,
      `SELECT CAST(sum(coalesce(client_error, 0) + coalesce(minute_quota, 0) + coalesce(banned, 0)) AS text) AS counted
      FROM key_usage_hours WHERE key_id = '${busy.id}'`,
    );
    expect(counted).toEqual([{ counted: "300" }]);
  });

  test("4.4 with REQUEST_LOG_DAYS=0, no request is kept", async () => {
    const off = await startService({ clock, env: { REQUEST_LOG_DAYS: "0" } });
    await off.call("GET /pets/none");
    await off.stop();
    expect(await backend.query(off.storage, "SELECT 1 FROM kept_requests")).toEqual([]);
    expect(await backend.query(off.storage, "SELECT 1 FROM key_usage_hours")).toHaveLength(1);
  });
});
