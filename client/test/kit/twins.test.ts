import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyWrite, RandomWriter, walk } from "../../../test/harness/requests/random-writes.ts";
import type { Answer, CallOptions } from "../../../test/harness/requests/send.ts";
import { startService } from "../../../test/harness/service/service.ts";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { startKit } from "../harness/target.ts";

// The service and the testing kit, side by side: whatever both are asked, they answer alike.

/** Both, at the same time of the day. */
async function twins() {
  const clock = new FakeClock();
  const [service, kit] = await Promise.all([startService({ clock }), startKit({ now: clock.nowMs() })]);
  const advance = (ms: number): void => {
    clock.advance(ms);
    kit.clock.advance(ms);
  };
  return { service, kit, advance };
}

/** Headers that differ: hosts, random ids, transport, and the tags of pages, which are another digest. */
const OWN_HEADERS = /^(?:date|content-length|connection|keep-alive|x-request-id|ratelimit.*|x-ratelimit.*)$/;

function shown({ status, headers, text }: Answer, { isPage = false, withLimits = false } = {}) {
  const known = [...headers]
    .filter(([name]) => !(isPage && name === "etag"))
    .filter(([name]) => !OWN_HEADERS.test(name) || (withLimits && /ratelimit/.test(name)))
    .map(([name, value]) => [name, value.replaceAll(/http:\/\/[^/]+/g, "")]);
  return { status, headers: Object.fromEntries(known), text };
}

const LISTS = [
  "/pets?limit=7",
  "/pets?sort=-id&limit=3",
  "/pets?status=available&categoryId=1",
  "/pets?id=1&id=5&id=9&status=sold",
  ...["R", "zo", "ο", "i", "x", "%F0%9F%90%88", "%EF%BF%AE"].map((name) => `/pets?limit=2&name=${name}`),
  "/pets?name=r&status=pending",
  "/store/orders?limit=2",
  "/store/orders?sort=-id&status=approved",
  "/store/orders?reference=A-1",
  "/store/orders?petId=1",
  "/categories?limit=2",
  "/categories?name=r&limit=1",
];

test("random writes, conditions and retries get the same answers, and lead to the same lists", async () => {
  const { service, kit, advance } = await twins();
  const [ofService, ofKit] = [new RandomWriter(service), new RandomWriter(kit)];
  let retries = 0;
  const property = fc.asyncProperty(fc.array(anyWrite, { minLength: 10, maxLength: 40 }), async (writes) => {
    for (const [i, write] of writes.entries()) {
      advance(i);
      // Every third write is a retry of the one before, or a different one with the same key.
      const key = { "Idempotency-Key": `${retries}-${Math.floor(i / 3)}` };
      const more = i % 3 === 0 ? {} : key;
      const [a, b] = [await ofService.send(write, more), await ofKit.send(write, more)];
      expect({ ...shown(b.answer), line: b.line }).toEqual({ ...shown(a.answer), line: a.line });
    }
    retries++;
    // Two names that UTF-16 and databases order differently, in one list by name.
    for (const name of ["R\uffee", "r\u{1f408}"])
      for (const writer of [ofService, ofKit])
        await writer.send({ kind: "create", name, categoryId: 1, status: "pending" });
    for (const list of LISTS) expect(await walk(kit, list)).toEqual(await walk(service, list));
  });
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
});

const pets = (body: unknown, headers: Record<string, string> = {}): [string, CallOptions] => [
  "POST /pets",
  { body, headers },
];

/** Requests that are wrong in one way each, or odd. */
const ODD: readonly [line: string, options?: CallOptions][] = [
  ...["0", "101", "+5", "05", "", "1.0", "abc", "%32"].map((limit): [string] => [`GET /pets?limit=${limit}`]),
  ...["/pets?Status=sold", "/pets?status=gone", "/pets?limit=1&limit=2", "/pets?name=%FF", "/pets?name=a&sort=id"].map(
    (path): [string] => [`GET ${path}`],
  ),
  ...["/pets?cursor=x", "/pets?cursor=0000000000000001.YQ", "/pets?name=b&cursor=0000000000000001.YQ"].map(
    (path): [string] => [`GET ${path}`],
  ),
  ["GET /pets?cursor=YWZ0ZXI6MQ"],
  ["GET /pets?cursor=7fffffffffffffff"],
  ["GET /pets?cursor=8000000000000000&sort=-id"],
  ["GET /store/orders?petId=1&reference=x"],
  ["GET /store/orders?petId=9223372036854775808"],
  ...["1", "01", "9223372036854775808", "x", "%31", "-0", ""].map((id): [string] => [`GET /pets/${id}`]),
  ...["/", "/pet", "/pets/1/2", "/store", "/categories/1/x"].map((path): [string] => [`GET ${path}`]),
  ...["by=week", "since=yesterday", "by=minute&since=2027-01-01T00:00:00Z", "since=2028-01-01T00:00:00Z"].map(
    (query): [string] => [`GET /key/usage?${query}`],
  ),
  ["DELETE /pets"],
  ["PATCH /categories/1", { body: { name: "x" } }],
  ["PUT /categories/x", { body: { name: "x" } }],
  pets("{"),
  pets(""),
  pets("[]"),
  pets("null"),
  pets('{"name":"Rex","name":"Rex","categoryId":1}'),
  pets('{"name":"Rex","categoryId":1e3}'),
  pets('{"name":"Rex","categoryId":1.0}'),
  pets('{"name":"Rex","categoryId":1.5}'),
  pets('{"name":"Rex","categoryId":9223372036854775807}'),
  pets('{"name":"Rex","categoryId":9223372036854775808}'),
  pets({ name: "Rex", categoryId: "1" }),
  pets({ name: "Rex" }),
  pets({ name: " ", categoryId: 1, status: "gone", id: 4, more: 1 }),
  pets({ name: "\u202e", categoryId: 1 }),
  pets({ name: "\ud800", categoryId: 1 }),
  pets({ name: "x".repeat(256), categoryId: 1 }),
  pets({ name: "x".repeat(20_000), categoryId: 1 }),
  pets(`{"name":"Rex","categoryId":1,"x":[${"1,".repeat(70)}1]}`),
  pets("<pet/>", { "Content-Type": "text/xml" }),
  pets({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "a,b" }),
  pets({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": '"quoted"' }),
  pets({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "quoted" }),
  pets({ name: "Max", categoryId: 1 }, { "Idempotency-Key": "quoted" }),
  ["PATCH /pets/1", { body: {} }],
  ["PATCH /pets/1", { body: { id: 1, name: null } }],
  ["PATCH /pets/1", { body: { name: "x" }, headers: { "If-Match": "x" } }],
  ["PATCH /pets/1", { body: { name: "x" }, headers: { "If-Match": "*", "If-None-Match": "*" } }],
  ["PUT /categories/7", { body: { name: "Dogs" }, headers: { "If-None-Match": "*" } }],
  ["PUT /categories/7", { body: { name: "Dogs" }, headers: { "If-None-Match": "*" } }],
  ["PUT /categories/8", { body: { name: "DOGS" } }],
  ["PUT /categories/8", { body: { name: "Cats" }, headers: { "If-Match": "*" } }],
  ["GET /pets", { secret: null }],
  ["GET /pets", { secret: "ask_nobody" }],
  ["GET /pets", { headers: { Authorization: "Basic eDp5" } }],
  ["GET /nowhere", { secret: null }],
];

test("whatever is wrong with a request, it is told in the same words", async () => {
  const { service, kit } = await twins();
  for (const [line, options] of ODD) {
    const isPage = /^GET \/(?:pets|store\/orders|categories)(?:\?|$)/.test(line);
    const [a, b] = [await service.call(line, options), await kit.call(line, options)];
    expect({ line, options, ...shown(b, { isPage }) }).toEqual({ line, options, ...shown(a, { isPage }) });
  }
});

describe("limits", () => {
  /** Sends the same to both, with the same key, and compares answers with all that they say about limits. */
  async function limited(key: { perMinute: number; perDay: number }) {
    const { service, kit, advance } = await twins();
    const options = { plan: "enterprise", quotas: key, scopes: ["pets:read"] } as const;
    const [ours, theirs] = [await kit.issueKey(options), await service.issueKey(options)];
    const statuses: number[] = [];
    const ask = async (line: string): Promise<void> => {
      const a = await service.call(line, { secret: theirs.secret });
      const b = await kit.call(line, { secret: ours.secret });
      const see = { isPage: true, withLimits: true };
      const text = ({ text }: Answer): string => text.replace(/"key_\w+"/, "");
      expect([line, statuses.length, { ...shown(b, see), text: text(b) }]).toEqual([
        ...[line, statuses.length, { ...shown(a, see), text: text(a) }],
      ]);
      statuses.push(b.status);
    };
    return { ask, advance, statuses };
  }

  test("of a minute and a day, strikes and bans up the whole ladder are the same, to the second", async () => {
    const { ask, advance, statuses } = await limited({ perMinute: 2, perDay: 9 });
    for (const line of ["GET /pets", "GET /key", "GET /pets", "GET /key"]) await ask(line);
    for (const ms of [59_000, 999, 1]) {
      advance(ms);
      await ask("GET /key");
    }
    // Sixty refused requests within a minute are a ban, of 1, 5, 30, 60 and 60 minutes.
    for (const minutes of [1, 5, 30, 60, 60]) {
      for (let i = 0; i < 64; i++) await ask("GET /pets");
      advance(minutes * 60_000);
    }
    advance(25 * 3_600_000);
    for (let i = 0; i < 3; i++) await ask("GET /key");
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
  });

  test("a scope that a key lacks is refused after it was counted", async () => {
    const { ask, statuses } = await limited({ perMinute: 3, perDay: 9 });
    for (const line of ["GET /store/orders", "DELETE /pets/1", "GET /pets", "GET /store/orders"]) await ask(line);
    expect(statuses).toEqual([403, 403, 200, 429]);
  });

  test("callers without a key have those of their address", async () => {
    const { service, kit } = await twins();
    const codes = new Set<string>();
    for (let i = 0; i < 302; i++) {
      const [a, b] = [await service.call("GET /pets", { secret: null }), await kit.call("GET /pets", { secret: null })];
      expect(shown(b, { withLimits: true })).toEqual(shown(a, { withLimits: true }));
      codes.add(b.json.code);
    }
    expect([...codes]).toEqual(["missing_api_key", "rate_limit_exceeded"]);
  });
});
