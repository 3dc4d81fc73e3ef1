import { expect, test } from "bun:test";
import fc from "fast-check";
import { backupName, backupTime, expiredBackups, unusedTime } from "./backup-series.ts";

const SERIES = { database: "animal-store", id: "5f3a9c1e" };
const NOW_MS = Date.UTC(2027, 0, 31, 9, 30);
const moment = fc.integer({ min: Date.UTC(2000), max: NOW_MS });

test("a name says when, in UTC, and sorts by it", () => {
  expect(backupName(SERIES, NOW_MS)).toBe("animal-store-20270131T093000.000Z-5f3a9c1e.db");
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      expect(backupTime(SERIES, backupName(SERIES, a))).toBe(a);
      expect(backupName(SERIES, a) < backupName(SERIES, b)).toBe(a < b);
    }),
  );
});

test("only names of the very series are its names", () => {
  for (const name of [
    "animal-store-20270131T093000.000Z-00000000.db",
    "other-20270131T093000.000Z-5f3a9c1e.db",
    "animal-store-20270231T093000.000Z-5f3a9c1e.db",
    "animal-store-20270131T093000.000Z-5f3a9c1e.db.gz",
    "my-animal-store-20270131T093000.000Z-5f3a9c1e.db",
    "animal-store-20270131T093000Z-5f3a9c1e.db",
    "animal-store.db",
    "",
  ])
    expect([name, backupTime(SERIES, name)]).toEqual([name, undefined]);
});

test("what goes is the oldest of the series beyond those to keep, and never the one just made, nor anything else", () => {
  const strangers = ["notes.txt", "animal-store.db", backupName({ ...SERIES, id: "00000000" }, 0)];
  fc.assert(
    fc.property(
      fc.uniqueArray(moment, { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.integer({ min: 1, max: 20 }),
      (times, n, keep) => {
        const names = times.map((ms) => backupName(SERIES, ms));
        const made = names[n % names.length] as string;
        const expired = expiredBackups(SERIES, [...strangers, ...names], { keep, made, nowMs: NOW_MS });
        if (expired.kind !== "expired") throw new Error("none is from the future");
        const kept = names.filter((name) => !expired.names.includes(name));
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(keep, names.length));
        for (const name of expired.names) {
          expect([names.includes(name), name < made]).toEqual([true, true]);
          for (const other of kept) expect(name < other).toBe(true);
        }
        const isNewest = names.every((name) => name <= made);
        if (isNewest) expect(kept).toHaveLength(Math.min(keep, names.length));
      },
    ),
  );
});

test("no name is given twice, however many begin in one millisecond and however few are kept", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ begun: fc.nat(3), lasts: fc.nat(3) }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      (backups, keep) => {
        const given: string[] = [];
        let names: readonly string[] = [];
        for (const { begun, lasts } of backups) {
          const nowMs = NOW_MS + begun + lasts;
          const made = backupName(SERIES, unusedTime(SERIES, names, { atMs: NOW_MS + begun, nowMs }));
          given.push(made);
          const expired = expiredBackups(SERIES, [...names, made], { keep, made, nowMs });
          names = [...names, made].filter((name) => expired.kind === "unknown" || !expired.names.includes(name));
        }
        expect(new Set(given).size).toBe(given.length);
      },
    ),
  );
  const future = backupName(SERIES, Date.UTC(2999));
  expect(unusedTime(SERIES, [future, "notes.txt"], { atMs: NOW_MS, nowMs: NOW_MS })).toBe(NOW_MS);
});

test("nothing goes while a backup is from the future: the clock was wrong, or is", () => {
  const made = backupName(SERIES, NOW_MS);
  const options = { keep: 1, made, nowMs: NOW_MS };
  const [soon, later] = [backupName(SERIES, NOW_MS + 30_000), backupName(SERIES, NOW_MS + 90_000)];
  expect(expiredBackups(SERIES, [made, later], options)).toEqual({ kind: "unknown", fromFuture: later });
  expect(expiredBackups(SERIES, [made, soon], options)).toEqual({ kind: "expired", names: [] });
});
