import { expect, test } from "bun:test";
import fc from "fast-check";
import { judge, newTally, ratePolicyOfKey, type Standing } from "../domain/tally.ts";
import { CLOSE, COMMON_HEADERS, type HeaderFields, HeaderTemplate } from "./header-template.ts";

const standing = (used: number, perMinute = 60, nowMs = 1_000_000): Standing => {
  const tally = newTally();
  const policy = ratePolicyOfKey({ perMinute, perDay: 1000 }, undefined);
  for (let i = 1; i < used; i++) judge(tally, policy, nowMs);
  return judge(tally, policy, nowMs).standing;
};

const fill = (fields: HeaderFields, requestId: string, shown: Standing, fixed?: HeaderFields): HeaderFields => {
  const template = HeaderTemplate.for(fields, true);
  const headers = (fixed ? template.with(fixed) : template).fill(requestId, shown, fields);
  return Object.fromEntries(new Response("", { headers }).headers);
};

test("every response has the common headers, and nothing of another response", () => {
  const field = fc.constantFrom("Location", "Link", "Retry-After", "Idempotency-Replayed");
  const fields = fc.dictionary(field, fc.stringMatching(/^[a-z]{1,8}$/));
  const fixed = fc.option(fc.constantFrom({ Sunset: "a" }, { Sunset: "b", Deprecation: "c" }), { nil: undefined });
  const shown = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 5, max: 9 }))
    .map((args) => standing(...args));
  fc.assert(
    fc.property(fc.array(fc.tuple(fields, fc.uuid(), shown, fixed), { minLength: 1, maxLength: 20 }), (responses) => {
      for (const [own, requestId, shown, extra] of responses) {
        const headers = fill(own, requestId, shown, extra);
        const expected = ["content-type", ...COMMON_HEADERS, ...Object.keys(own), ...Object.keys(extra ?? {})];
        expect(Object.keys(headers).sort()).toEqual(expected.map((name) => name.toLowerCase()).sort());
        for (const [name, value] of Object.entries({ ...extra, ...own }))
          expect(headers[name.toLowerCase()]).toBe(value);
        expect(headers["x-request-id"]).toBe(requestId);
        expect(headers["x-ratelimit-remaining"]).toBe(String(shown.shown.remaining));
        expect(headers["x-ratelimit-limit"]).toBe(String(shown.shown.quota));
      }
    }),
  );
});

test("a response without a body has no content type", () => {
  const headers = HeaderTemplate.for({}, false).fill("id", standing(1), {});
  expect(headers.has("content-type")).toBe(false);
  expect(headers.get("cache-control")).toBe("no-store");
});

test("fields that never differ add up", () => {
  const template = HeaderTemplate.for({}, true).with({ Sunset: "a" }).with(CLOSE);
  const headers = template.fill("id", standing(1), {});
  expect([headers.get("sunset"), headers.get("connection")]).toEqual(["a", "close"]);
  expect(HeaderTemplate.for({}, true).fill("id", standing(1), {}).has("connection")).toBe(false);
});
