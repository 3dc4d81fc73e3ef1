import { describe, expect, test } from "bun:test";
import { pino } from "pino";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import type { CountingPlace } from "../store/ports/store.ts";
import { announcer, noteCountingPlace } from "./meters.ts";

function setUp() {
  const lines: { msg: string; server: string; remedy?: string; level: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const up = new Map<string, boolean>();
  const degraded: boolean[] = [];
  const away = new Set<string>();
  const announce = announcer(away, log, {
    meterDegraded: (isDegraded) => degraded.push(isDegraded),
    redisServer: (server, isUp) => void (isUp === undefined ? up.delete(server) : up.set(server, isUp)),
  });
  const lose = (server: string, isOneOfMany: boolean) =>
    announce({ state: "away", server, reason: "is gone", remedy: "find it", error: new Error("gone"), isOneOfMany });
  return { lines, up, degraded, away, announce, lose };
}

test("a Redis that goes and comes back is one line each time, with the reason and the remedy, and a metric", () => {
  const { lines, up, degraded, away, announce, lose } = setUp();
  announce({ state: "known", server: "a:1" });
  expect([lines, [...up]]).toEqual([[], [["a:1", true]]]);
  lose("a:1", false);
  expect([...away]).toEqual(["a:1"]);
  expect([[...up], degraded.at(-1)]).toEqual([[["a:1", false]], true]);
  announce({ state: "back", server: "a:1" });
  expect([[...up], degraded.at(-1), [...away]]).toEqual([[["a:1", true]], false, []]);
  expect(lines).toMatchObject([
    { level: 50, msg: "Redis a:1 is gone: this instance counts requests by itself", server: "a:1", remedy: "find it" },
    { level: 30, msg: "Redis is back: instances count requests together again", server: "a:1" },
  ]);
});

test("it is degraded as long as one node of a cluster is away, and a node that was replaced has no metric any more", () => {
  const { lines, up, degraded, announce, lose } = setUp();
  for (const server of ["a:1", "b:1"]) announce({ state: "known", server });
  for (const server of ["a:1", "b:1"]) lose(server, true);
  announce({ state: "back", server: "b:1" });
  expect(degraded.at(-1)).toBe(true);
  announce({ state: "replaced", server: "a:1" });
  announce({ state: "gone", server: "a:1" });
  announce({ state: "known", server: "c:1" });
  expect(degraded.at(-1)).toBe(false);
  expect([...up]).toEqual([
    ["b:1", true],
    ["c:1", true],
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    "Redis a:1 is gone: this instance counts the share of that server by itself",
    "Redis b:1 is gone: this instance counts the share of that server by itself",
    "Redis is back: instances count requests together again",
    "Redis has been replaced by another server: instances count requests together again",
  ]);
});

describe("where requests are counted is noted in the database", () => {
  const unreported = () => (error: unknown) => {
    throw error;
  };

  test("once, and again only when it has changed", async () => {
    const { metadata } = await openKeyStore();
    const noted: string[] = [];
    const watched = {
      countingPlace: metadata.countingPlace,
      noteCountingPlace: async (place: CountingPlace) => {
        noted.push(place);
        await metadata.noteCountingPlace(place);
      },
    };
    for (const place of ["database", "database", "redis", "redis", "database"] as const)
      await noteCountingPlace({ metadata: watched, isReadOnly: () => false }, place, unreported);
    expect(noted).toEqual(["database", "redis", "database"]);
  });

  test("unless the database is read-only; and a failure is reported, and harms nobody", async () => {
    const { metadata } = await openKeyStore();
    await noteCountingPlace({ metadata, isReadOnly: () => true }, "redis", unreported);
    expect(await metadata.countingPlace()).toBeUndefined();
    const failing = { ...metadata, noteCountingPlace: () => Promise.reject(new Error("the disk is full")) };
    const reported: string[] = [];
    const report = (message: string) => (error: unknown) => void reported.push(`${message}: ${error}`);
    await noteCountingPlace({ metadata: failing, isReadOnly: () => false }, "redis", report);
    expect(reported).toEqual(["could not note where requests are counted: Error: the disk is full"]);
  });
});
