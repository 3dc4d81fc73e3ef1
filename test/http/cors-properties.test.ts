import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Answer,
  APP,
  type Asked,
  ask,
  CORS_ORIGINS,
  corsOf,
  DESK,
  ourHeaders,
  readableBy,
  STRANGER,
  UNREADABLE,
} from "../harness/requests/cors.ts";
import { listenersOn } from "../harness/servers/port.ts";
import { startService, type TestService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

const ALLOWED = [APP, DESK];
const REX = { name: "Rex", categoryId: 7 };

/** Any header value, including those that no browser sends. */
const headerText = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
    { maxLength: 80 },
  )
  .map((codes) => String.fromCharCode(...codes));

/** An origin that is nearly an allowed one. */
const nearlyAllowed = fc
  .tuple(
    fc.constantFrom(...ALLOWED),
    fc.nat({ max: 40 }),
    headerText.map((text) => text.slice(0, 3)),
    fc.nat({ max: 2 }),
  )
  .map(([origin, at, inserted, removed]) => origin.slice(0, at) + inserted + origin.slice(at + removed));

const origin = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ALLOWED) },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: nearlyAllowed },
  { weight: 2, arbitrary: headerText },
  { weight: 2, arbitrary: fc.webUrl() },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "null",
      "*",
      "",
      STRANGER,
      `${APP}, ${DESK}`,
      `${APP},${APP}`,
      `${APP}/`,
      `${APP}:443`,
      APP.toUpperCase(),
      "https://app.example.com.stranger.example",
      "http://app.example.com",
      `${APP}\u00a0`,
      "__proto__",
      "constructor",
      "x".repeat(7_000),
    ),
  },
);

/** Space around a value is not part of it. */
const valueIn = (header: string | undefined): string => (header ?? "").replace(/^[ \t]+|[ \t]+$/g, "");

type Request = readonly [line: string, asked: Asked & { readonly key?: "good" | "poor" }];

const REQUESTS: readonly Request[] = [
  ["GET /pets", { key: "good" }],
  ["GET /pets?limit=2", { key: "good" }],
  ["GET /pets?limit=0", { key: "good" }],
  ["HEAD /pets", { key: "good" }],
  ["GET /pets", { key: "good", headers: { "If-None-Match": "*" } }],
  ["POST /pets", { key: "good", body: REX }],
  ["POST /pets", { key: "good", body: REX, headers: { "Idempotency-Key": "same" } }],
  ["POST /pets", { key: "good", body: "{" }],
  ["GET /pets/1", { key: "good" }],
  ["PATCH /pets/1", { key: "good", body: { name: "Max" } }],
  ["DELETE /pets/9999", { key: "good" }],
  ["PUT /categories/7", { key: "good", body: { name: "Dogs" } }],
  ["GET /nothing", { key: "good" }],
  ["PUT /pets", { key: "good" }],
  ["GET /pets", {}],
  ["GET /pets", { secret: "wrong" }],
  ["GET /pets", { key: "poor" }],
];

/** The parts of a response that are the same on all instances, without CORS headers. */
const comparable = (answer: Answer): unknown => {
  const headers = Object.fromEntries(ourHeaders(answer));
  const text = answer.text.replace(", OPTIONS", "");
  delete headers.date;
  if (headers.allow) {
    headers.allow = headers.allow.replace(", OPTIONS", "");
    headers["content-length"] = String(text.length);
  }
  return [answer.status, text, headers];
};

describe("whatever the origin of a request is", () => {
  test("exactly that one is named if it is allowed, else none, and nothing else is different", async () => {
    const start = async (cors: string) => {
      const settings = { PUBLIC_URL: "https://api.example.com/v1", ANONYMOUS_PER_MINUTE: "40", CORS_ORIGINS: cors };
      const service = await startService({ clock: new FakeClock(), env: settings });
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 9, perDay: 90 } });
      const secrets = { good: service.boundless, poor: secret };
      const send = ([line, { key, headers, ...asked }]: Request, origin: string | undefined) =>
        ask(service, line, {
          ...asked,
          origin,
          ...(key ? { secret: secrets[key] } : {}),
          headers: { ...headers, "X-Request-Id": "same" },
        });
      return send;
    };
    // Both get the same requests in the same order, so that their counts are equal.
    const [set, unset] = [await start(CORS_ORIGINS), await start("")];
    const named = { allowed: 0, others: 0 };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REQUESTS), origin, async (request, origin) => {
        const [answer, without] = [await set(request, origin), await unset(request, origin)];
        const isAllowed = ALLOWED.includes(valueIn(origin));
        named[isAllowed ? "allowed" : "others"]++;
        expect(corsOf(answer)).toEqual(isAllowed ? readableBy(valueIn(origin)) : UNREADABLE);
        expect(corsOf(without)).toEqual({});
        expect(comparable(answer)).toEqual(comparable(without));
      }),
      { numRuns: 600, endOnFailure: true },
    );
    expect(Math.min(named.allowed, named.others)).toBeGreaterThan(50);
  });
});

test("with four threads, each answers every origin with its own", async () => {
  const service: TestService = await startService({ env: { THREADS: "4", CORS_ORIGINS } });
  if (process.platform === "linux") expect(listenersOn(service.origin)).toBe(4);
  await ask(service, "POST /pets", { secret: service.boundless, body: REX });
  const origins = [APP, STRANGER, DESK, undefined];
  const headers = { Connection: "close" };
  for (let round = 0; round < 3; round++)
    await Promise.all(
      Array.from({ length: 64 }, async (_, i) => {
        const origin = origins[i % 4];
        const answer = await ask(service, "GET /pets", { origin, secret: service.boundless, headers });
        const expected = origin && ALLOWED.includes(origin) ? readableBy(origin) : UNREADABLE;
        expect([answer.status, corsOf(answer)]).toEqual([200, expected]);
        const allowed = await ask(service, "OPTIONS /pets", { origin, headers });
        expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
          204,
          expected["access-control-allow-origin"] ?? null,
        ]);
      }),
    );
});
