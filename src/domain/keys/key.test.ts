import { expect, test } from "bun:test";
import fc from "fast-check";
import { ENVIRONMENT_NAMES } from "../environment.ts";
import {
  digestOf,
  environmentOfSecret,
  isPlausibleSecret,
  type Key,
  newKeyId,
  newSecret,
  problemWith,
  stateOf,
} from "./key.ts";
import { SCOPES } from "./scope.ts";

const NOW = Date.parse("2027-01-01T00:00:00Z");

const key = (change: Partial<Key> = {}): Key => ({
  id: "key_1",
  name: "Front desk",
  plan: "free",
  quotas: { perMinute: 60, perDay: 1000 },
  mayRotate: false,
  createdAtMs: NOW,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
  unbannedAtMs: undefined,
  scopes: SCOPES,
  suspendedAtMs: undefined,
  lastUsedAtMs: undefined,
  ...change,
});

const secret = { expiresAtMs: undefined };

test("a secret is ask_, 30 random characters and 6 that check them", () => {
  for (let i = 0; i < 200; i++) {
    expect(newSecret()).toMatch(/^ask_[0-9A-Za-z]{36}$/);
    expect(isPlausibleSecret(newSecret())).toBe(true);
  }
  expect(new Set(Array.from({ length: 500 }, newSecret)).size).toBe(500);
  expect(newKeyId()).toMatch(/^key_[0-9A-Za-z]{12}$/);
});

test("a secret of staging begins with ask_test_, and is as good as any", () => {
  const secret = newSecret("staging");
  expect(secret).toMatch(/^ask_test_[0-9A-Za-z]{36}$/);
  expect(isPlausibleSecret(secret)).toBe(true);
  expect(isPlausibleSecret(secret.replace("test_", ""))).toBe(false);
  for (const environment of ENVIRONMENT_NAMES) expect(environmentOfSecret(newSecret(environment))).toBe(environment);
  for (const text of ["", "ask", "task_test_x", "Bearer", "ASK_TEST_"])
    expect(environmentOfSecret(text)).toBeUndefined();
});

test.each(ENVIRONMENT_NAMES)("a secret of %s with one wrong character is told from a real one", (environment) => {
  const real = newSecret(environment);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: real.length - 1 }), fc.constantFrom(..."abcXYZ019_"), (at, character) => {
      const wrong = real.slice(0, at) + character + real.slice(at + 1);
      expect(isPlausibleSecret(wrong)).toBe(wrong === real);
    }),
  );
  for (const text of ["", "ask_", `${real} `, real.toLowerCase() + real]) expect(isPlausibleSecret(text)).toBe(false);
});

test("every character of a secret is about equally likely", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 4000; i++)
    for (const character of newSecret().slice(4, 34)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  const expected = (4000 * 30) / 62;
  for (const seen of counts.values()) expect(Math.abs(seen - expected)).toBeLessThan(expected * 0.2);
});

test("a digest is SHA-256 in hex", () => {
  expect(digestOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a key has a problem once it is revoked or expired, or its secret replaced", () => {
  expect(problemWith(key(), secret, NOW)).toBeUndefined();
  expect(problemWith(key({ revokedAtMs: NOW }), secret, NOW)).toEqual({ kind: "revoked" });
  expect(problemWith(key({ expiresAtMs: NOW + 1 }), secret, NOW)).toBeUndefined();
  expect(problemWith(key({ expiresAtMs: NOW }), secret, NOW)).toEqual({ kind: "expired", atMs: NOW });
  expect(problemWith(key(), { ...secret, expiresAtMs: NOW + 1 }, NOW)).toBeUndefined();
  expect(problemWith(key(), { ...secret, expiresAtMs: NOW }, NOW)).toEqual({ kind: "replaced" });
});

test("a key is active, expired or revoked, and revoked is the last word", () => {
  expect(stateOf(key(), NOW)).toBe("active");
  expect(stateOf(key({ expiresAtMs: NOW }), NOW)).toBe("expired");
  expect(stateOf(key({ expiresAtMs: NOW, revokedAtMs: NOW }), NOW)).toBe("revoked");
});
