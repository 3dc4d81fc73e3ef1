import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../base/time/clock.ts";
import {
  hasEnded,
  isPlausibleConsoleSecret,
  newConsoleSecret,
  newSessionSecret,
  prolongedUntilMs,
  SESSION_LASTS_MS,
} from "./console-session.ts";

test("secrets differ, and are told from what is none", () => {
  const secrets = Array.from({ length: 1_000 }, (_, i) => (i % 2 ? newConsoleSecret() : newSessionSecret(i * DAY_MS)));
  expect(new Set(secrets).size).toBe(1_000);
  for (const secret of secrets) expect(isPlausibleConsoleSecret(secret)).toBe(true);
  for (const secret of secrets.slice(0, 2))
    for (const text of ["", secret.slice(1), `${secret}a`, `${secret}\n`, ` ${secret}`, secret.replace(/.$/, "ä")])
      expect([text, isPlausibleConsoleSecret(text)]).toEqual([text, false]);
  expect(isPlausibleConsoleSecret(`ask_${"a".repeat(36)}`)).toBe(false);
});

const SECRET = newSessionSecret(0);

test("a session lasts 12 hours after its last use, whenever that is, to within a minute", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 13 * HOUR_MS }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (pauses) => {
      let session = { name: "x", expiresAtMs: SESSION_LASTS_MS };
      let nowMs = 0;
      for (const pause of pauses) {
        const usedAtMs = nowMs;
        nowMs += pause;
        const ended = hasEnded(session, nowMs);
        if (pause >= SESSION_LASTS_MS) expect(ended).toBe(true);
        if (pause < SESSION_LASTS_MS - MINUTE_MS) expect(ended).toBe(false);
        expect(session.expiresAtMs - usedAtMs).toBeLessThanOrEqual(SESSION_LASTS_MS);
        if (ended) return;
        session = { ...session, expiresAtMs: prolongedUntilMs(session, SECRET, nowMs) ?? session.expiresAtMs };
      }
    }),
  );
});

test("not every use is noted: at most one a minute", () => {
  const session = { name: "x", expiresAtMs: SESSION_LASTS_MS };
  expect(prolongedUntilMs(session, SECRET, MINUTE_MS - 1)).toBeUndefined();
  expect(prolongedUntilMs(session, SECRET, MINUTE_MS)).toBe(SESSION_LASTS_MS + MINUTE_MS);
  // A clock that was set back.
  expect(prolongedUntilMs(session, SECRET, -HOUR_MS)).toBeUndefined();
});

test("a session is not prolonged beyond 30 days after it began, and not at all if its secret does not say when", () => {
  const beganAtMs = Date.parse("2027-03-01T12:00:00Z");
  const secret = newSessionSecret(beganAtMs + 999);
  const session = { name: "x", expiresAtMs: beganAtMs + 30 * DAY_MS - HOUR_MS };
  expect(prolongedUntilMs(session, secret, session.expiresAtMs - 1)).toBe(beganAtMs + 30 * DAY_MS);
  const last = { ...session, expiresAtMs: beganAtMs + 30 * DAY_MS };
  expect(prolongedUntilMs(last, secret, last.expiresAtMs - 1)).toBeUndefined();
  expect(prolongedUntilMs(session, newConsoleSecret(), session.expiresAtMs - 1)).toBeUndefined();
});
