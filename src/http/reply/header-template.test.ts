import { expect, test } from "bun:test";
import fc from "fast-check";
import { judge, newTally, type QuotaStatus, ratePolicyOfKey } from "../../domain/limits/tally.ts";
import { CLOSE, COMMON_HEADERS, type HeaderFields, HeaderTemplate } from "./header-template.ts";

const quotaStatus = (used: number, perMinute = 60, nowMs = 1_000_000): QuotaStatus => {
  const tally = newTally();
  const policy = ratePolicyOfKey({ perMinute, perDay: 1000 }, undefined);
  for (let i = 1; i < used; i++) judge(tally, policy, nowMs);
  return judge(tally, policy, nowMs).quotaStatus;
};

interface Own {
  readonly fields: HeaderFields;
  readonly etag: string | undefined;
  readonly fixed: HeaderFields | undefined;
}

const PLAIN: Own = { fields: {}, etag: undefined, fixed: undefined };

const fill = ({ fields, etag, fixed }: Own, requestId: string, shown: QuotaStatus): HeaderFields => {
  const template = HeaderTemplate.for(fields, true, etag !== undefined);
  const headers = (fixed ? template.with(fixed) : template).fill(requestId, shown, fields, etag);
  return Object.fromEntries(new Response("", { headers }).headers);
};

test("every response has the common headers, and nothing of another response", () => {
  const field = fc.constantFrom("Location", "Link", "Retry-After", "Idempotency-Replayed");
  const fields = fc.dictionary(field, fc.stringMatching(/^[a-z]{1,8}$/));
  const etag = fc.option(fc.constantFrom('"a"', '"b"'), { nil: undefined });
  const fixed = fc.option(fc.constantFrom({ Sunset: "a" }, { Sunset: "b", Deprecation: "c" }), { nil: undefined });
  const own = fc.record({ fields, etag, fixed });
  const shown = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 5, max: 9 }))
    .map((args) => quotaStatus(...args));
  fc.assert(
    fc.property(fc.array(fc.tuple(own, fc.uuid(), shown), { minLength: 1, maxLength: 20 }), (responses) => {
      for (const [own, requestId, shown] of responses) {
        const headers = fill(own, requestId, shown);
        const expected = { ...own.fixed, ...own.fields, ...(own.etag === undefined ? {} : { ETag: own.etag }) };
        const names = ["content-type", ...COMMON_HEADERS, ...Object.keys(expected)];
        expect(Object.keys(headers).sort()).toEqual(names.map((name) => name.toLowerCase()).sort());
        for (const [name, value] of Object.entries(expected)) expect(headers[name.toLowerCase()]).toBe(value);
        expect(headers["x-request-id"]).toBe(requestId);
        expect(headers["x-ratelimit-remaining"]).toBe(String(shown.shown.remaining));
        expect(headers["x-ratelimit-limit"]).toBe(String(shown.shown.quota));
      }
    }),
  );
});

test("RateLimit says what remains of both quotas and for how long, whoever was answered before", () => {
  const seconds = fc.constantFrom(0, 0.4, 1, 59, 60, 61);
  const callers = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 7 }), seconds), {
    minLength: 2,
    maxLength: 20,
  });
  fc.assert(
    fc.property(callers, (answered) => {
      for (const [used, perMinute, seconds] of answered) {
        const judged = quotaStatus(used, perMinute);
        const headers = fill(PLAIN, "id", { ...judged, atMs: judged.atMs + seconds * 1000 });
        const [minute, day] = [60, 86_400].map((length) => Math.max(0, Math.ceil(length - seconds)));
        expect(headers.ratelimit).toBe(`"minute";r=${perMinute - used};t=${minute}, "day";r=${1000 - used};t=${day}`);
      }
    }),
  );
});

test("a response without a body has no content type", () => {
  const headers = HeaderTemplate.for({}, false, false).fill("id", quotaStatus(1), {}, undefined);
  expect(headers.has("content-type")).toBe(false);
  expect(headers.get("cache-control")).toBe("no-store");
});

test("fields that never differ add up", () => {
  const plain = HeaderTemplate.for({}, true, false);
  const headers = plain.with({ Sunset: "a" }).with(CLOSE).fill("id", quotaStatus(1), {}, undefined);
  expect([headers.get("sunset"), headers.get("connection")]).toEqual(["a", "close"]);
  expect(plain.fill("id", quotaStatus(1), {}, undefined).has("connection")).toBe(false);
});
