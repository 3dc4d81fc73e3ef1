import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";
import { type Circumstances, findAlerts, SeenAlerts } from "../../src/console/cached/alerts.ts";
import { diskOf } from "../../src/console/cached/cache.ts";
import type { ConsoleCall } from "../../src/console/handler.ts";
import { addAnimal } from "../../src/console/resources/animals.ts";
import { showFrame } from "../../src/console/resources/frame.ts";
import { issue, unban } from "../../src/console/resources/keys/keys.ts";
import { showOverview } from "../../src/console/resources/overview.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { ANIMAL_STATUSES } from "../../src/domain/stock/animal.ts";
import type { Instance } from "../../src/domain/usage/instance.ts";
import { newCounts, placeOfLatency, placeOfOutcome } from "../../src/domain/usage/usage.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { type Answer, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { bannedTally } from "../harness/service/key-store.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const FORM = { name: "Front desk", plan: "free", scopes: SCOPES, expiresAtMs: null };

const NOW = Date.parse("2027-03-01T12:00:00Z");

const instance = (change: Partial<Instance> = {}): Instance => ({
  id: "a",
  host: "one",
  version: "1.2.0",
  environment: "production",
  threads: 1,
  startedAtMs: NOW - DAY_MS,
  health: "ready",
  seenAtMs: NOW,
  stoppedAtMs: undefined,
  ...change,
});

/** Counts of requests that passed in 3 ms, and of refused ones. */
function counted(passed: number, refused: number): number[] {
  const counts = newCounts();
  counts[placeOfOutcome("passed")] = passed;
  counts[placeOfOutcome("minute_quota")] = refused;
  counts[placeOfLatency(placeOfOutcome("passed"), 3)] = passed;
  return counts;
}

onEveryStore(({ backend }) => {
  let sequence = 0;
  async function use(desk: TestConsole, keyId: string, agoMs: number, counts: number[]): Promise<void> {
    const startedAtMs = Math.floor((desk.clock.nowMs() - agoMs) / MINUTE_MS) * MINUTE_MS;
    const sums = [keyId, null].map((id) => ({ keyId: id, startedAtMs, counts }));
    await desk.store.usage.add({ source: "s", sequence: ++sequence, atMs: desk.clock.nowMs(), sums });
  }
  /** The overview once all background work has ended. */
  async function overview(desk: TestConsole, span = "hour"): Promise<Answer> {
    return overviewOf(desk, { span });
  }
  async function overviewOf(desk: TestConsole, query: Record<string, string>): Promise<Answer> {
    await desk.ask(showOverview, { query });
    await desk.settled();
    return desk.ask(showOverview, { query });
  }

  test("beside every page are how many there are of each kind, and who serves", async () => {
    const desk = await openConsole(backend);
    await desk.ask(issue, { form: FORM });
    await desk.ask(showFrame);
    await desk.settled();
    const none = { value: 0, isEstimate: false, asOfMs: desk.clock.nowMs() };
    const empty = { keys: 1, animals: none, openOrders: none, instances: 1, versions: ["1.2.0"], alerts: 0 };
    expect(await desk.ask(showFrame)).toEqual(empty);
    for (const [id, version, agoMs] of [
      ["a", "1.1.0", 0],
      ["b", "1.2.0", 0],
      ["c", "1.0.0", HOUR_MS],
    ] as const)
      await desk.store.instances.note(instance({ id, version, seenAtMs: desk.clock.nowMs() - agoMs }));
    const frame = await desk.ask(showFrame);
    expect(frame).toMatchObject({ instances: 2, versions: ["1.1.0", "1.2.0"] });
    expect(frame.alerts).toBeGreaterThan(0);
    expect(desk.failures).toEqual([]);
  });

  describe("the overview", () => {
    test("of an empty store is empty, and well", async () => {
      const desk = await openConsole(backend);
      // The writer thread notes its start as a change, and numbers that were counted meanwhile are estimates.
      await desk.ask(issue, { form: FORM });
      const view = await overview(desk);
      expect(view.usage.buckets).toHaveLength(61);
      expect(view.usage.sum).toMatchObject({ requests: 0, p50Ms: null, p99Ms: null });
      expect(view.busiest).toEqual({ keys: [], asOfMs: desk.clock.nowMs() });
      expect(view).toMatchObject({ instances: [], alerts: [], nowMs: desk.clock.nowMs() });
      const none = { value: 0, isEstimate: false, asOfMs: desk.clock.nowMs() };
      expect(view.animals).toEqual({ available: none, pending: none, sold: none });
      expect(view.openOrders).toEqual({ placed: none, approved: none });
      expect(view.store.kind).toBe(desk.storage.REDIS_URL ? "postgres" : "sqlite");
      expect(view.store.bytes).toBeGreaterThan(10_000);
      expect(JSON.stringify(view)).not.toContain("password");
      expect(await desk.ask(showOverview, { query: { span: "week" } })).toMatchObject({ status: 400, field: "span" });
      expect(desk.failures).toEqual([]);
    });

    test("knows how far a new store is: another key than the operator's, animals, requests", async () => {
      const desk = await openConsole(backend);
      const operators = await desk.ask(issue, { form: { ...FORM, name: "operator" } });
      const none = { hasKey: false, hasAnimals: false, hasRequests: false };
      expect((await overview(desk)).firstSteps).toEqual(none);
      await desk.ask(issue, { form: FORM });
      desk.clock.advance(MINUTE_MS);
      expect((await overview(desk)).firstSteps).toEqual({ ...none, hasKey: true });
      await desk.ask(addAnimal, { form: { name: "Rex", categoryId: "7", status: "available" } });
      expect((await overview(desk)).firstSteps).toEqual({ ...none, hasKey: true, hasAnimals: true });
      // A request of a span that is not shown is known from its key.
      const nowMs = desk.clock.nowMs();
      await desk.store.keys.noteUse([{ keyId: operators.key.id, atMs: nowMs - 20 * DAY_MS }]);
      desk.clock.advance(MINUTE_MS);
      expect((await overview(desk)).firstSteps).toEqual({ hasKey: true, hasAnimals: true, hasRequests: true });
      const call = { params: {}, query: new URLSearchParams({ span: "hour" }) } as ConsoleCall;
      expect(await showOverview(desk.parts, { ...desk.session, role: "viewer" }, call)).toMatchObject({
        firstSteps: null,
      });
    });

    test("has usage by minute and hour, and the busiest keys of the span with today's quota", async () => {
      const desk = await openConsole(backend);
      const [a, b] = [(await desk.ask(issue, { form: FORM })).key.id, (await desk.ask(issue, { form: FORM })).key.id];
      await use(desk, a, 0, counted(10, 5));
      await use(desk, b, 0, counted(100, 0));
      await use(desk, a, 5 * HOUR_MS, counted(200, 0));
      await use(desk, b, 20 * DAY_MS, counted(1_000, 1));
      await use(desk, "key_gone00000000", 0, counted(1, 0)).catch(() => {});
      const tally = bannedTally(desk.clock.nowMs());
      await desk.count(a, tally);
      const names = async (span: string) =>
        (await overview(desk, span)).busiest.keys.map(({ keyId, requests }: Answer) => [keyId, requests]);
      expect(await names("hour")).toEqual([
        [b, 100],
        [a, 15],
      ]);
      expect(await names("day")).toEqual([
        [a, 215],
        [b, 100],
      ]);
      expect(await names("month")).toEqual([
        [b, 1_101],
        [a, 215],
      ]);
      const view = await overview(desk, "hour");
      expect(view.busiest.asOfMs).toBe(desk.clock.nowMs());
      expect(view.busiest.keys[1]).toEqual({
        keyId: a,
        name: "Front desk",
        requests: 15,
        clientErrors: 0,
        refused: 5,
        failed: 0,
        today: { quota: 1000, used: 60, resetsAtMs: expect.any(Number) },
      });
      expect(view.usage.buckets.at(-1)).toMatchObject({ passed: 111, refusedInAll: 5, p50Ms: expect.any(Number) });
      expect((await overview(desk, "day")).usage).toMatchObject({ grain: "hour", sum: { passed: 311 } });
      expect((await overview(desk, "month")).usage).toMatchObject({ grain: "hour", sum: { passed: 1_311 } });
      // Sums are cached for ten seconds; after that, only the latest bucket is read again.
      await use(desk, a, 0, counted(500, 0));
      expect((await desk.ask(showOverview)).busiest.keys[0].keyId).toBe(b);
      desk.clock.advance(11 * SECOND_MS);
      expect((await overview(desk)).busiest.keys[0]).toMatchObject({ keyId: a, requests: 515 });
      // Buckets outside the span do not count.
      desk.clock.advance(62 * MINUTE_MS);
      expect((await overview(desk)).busiest.keys).toEqual([]);
    });

    test("is also of a chosen period: its usage, that of the one before, and its busiest keys", async () => {
      const desk = await openConsole(backend);
      const [a, b] = [(await desk.ask(issue, { form: FORM })).key.id, (await desk.ask(issue, { form: FORM })).key.id];
      const nowMs = desk.clock.nowMs();
      // Hours are shown whole.
      const hourAgoMs = (hours: number): number => (nowMs % HOUR_MS) + hours * HOUR_MS;
      await use(desk, a, hourAgoMs(4.5), counted(7, 1));
      await use(desk, b, hourAgoMs(5.5), counted(20, 0));
      await use(desk, a, 0, counted(500, 0));
      const period = (fromAgoMs: number, untilAgoMs?: number) =>
        overviewOf(desk, {
          from: String(nowMs - fromAgoMs),
          ...(untilAgoMs === undefined ? {} : { until: String(nowMs - untilAgoMs) }),
        });
      const names = ({ busiest }: Answer) => busiest.keys.map(({ keyId, requests }: Answer) => [keyId, requests]);
      const short = await period(hourAgoMs(5), hourAgoMs(4));
      expect(short.usage).toMatchObject({
        grain: "minute",
        sum: { passed: 7, refusedInAll: 1 },
        before: { passed: 20 },
      });
      expect(short.usage.buckets).toHaveLength(60);
      expect(short.usage.buckets.some((bucket: Answer) => bucket.requestsBefore === 20)).toBe(true);
      expect(names(short)).toEqual([[a, 8]]);
      const open = await period(hourAgoMs(5));
      expect(open.usage).toMatchObject({ grain: "hour", sum: { passed: 507 }, before: { passed: 20 } });
      expect(names(open)).toEqual([[a, 508]]);
      // An end in the future is now.
      expect(await period(hourAgoMs(5), -HOUR_MS)).toEqual(open);
      const long = await period(399 * DAY_MS);
      expect(long.usage).toMatchObject({ grain: "day", sum: { passed: 527 }, before: null });
      expect(long.usage.buckets).toHaveLength(400);
      expect(long.busiest).toBeNull();
      expect(names(await period(30 * DAY_MS))).toEqual([
        [a, 508],
        [b, 20],
      ]);
      for (const [query, field] of [
        [{ from: "soon" }, "from"],
        [{ from: "-1" }, "from"],
        [{ from: "1".repeat(400) }, "from"],
        [{ until: String(nowMs) }, "from"],
        [{ from: String(nowMs) }, "from"],
        [{ from: String(nowMs - 401 * DAY_MS) }, "from"],
        [{ from: String(nowMs - HOUR_MS), until: "1.5" }, "until"],
        [{ from: String(nowMs - HOUR_MS), until: String(nowMs - HOUR_MS) }, "until"],
      ] as const)
        expect(await desk.ask(showOverview, { query })).toMatchObject({ status: 400, code: "invalid_value", field });
      expect(await desk.ask(showOverview, { query: { from: "0" } })).toMatchObject({
        message: "Usage is kept for 400 days. Choose a later beginning.",
      });
      expect(desk.failures).toEqual([]);
    });

    test("counts animals and open orders again when something was written, once a minute at most", async () => {
      const desk = await openConsole(backend);
      const animals = async () => {
        const { animals, openOrders } = await overview(desk);
        return [
          ...ANIMAL_STATUSES.map((status) => animals[status].value),
          openOrders.placed.value,
          openOrders.approved.value,
        ];
      };
      for (let i = 0; i < 7; i++)
        await desk.store.animals.create({ name: "Rex", categoryId: 1n, status: i < 4 ? "available" : "sold" });
      await desk.store.orders.place({ animalId: 1n, nowMs: 1 });
      await desk.store.orders.place({ animalId: 2n, nowMs: 1 });
      await desk.store.orders.update({ orderId: 1n, to: "approved", nowMs: 1 });
      expect(await animals()).toEqual([2, 2, 3, 1, 1]);
      await desk.store.animals.delete({ id: 7n });
      expect(await animals()).toEqual([2, 2, 3, 1, 1]);
      desk.clock.advance(MINUTE_MS);
      expect(await animals()).toEqual([2, 2, 2, 1, 1]);
      expect((await overview(desk)).animals.sold.isEstimate).toBe(false);
    });

    test("says which keys are banned, and stops when they are not", async () => {
      const desk = await openConsole(backend);
      const { key } = await desk.ask(issue, { form: FORM });
      await desk.count(key.id, bannedTally(desk.clock.nowMs()));
      const seenAtMs = desk.clock.nowMs();
      const banned = {
        level: "warning",
        title: "1 key is banned.",
        remedy: "/keys?state=banned",
        sinceMs: seenAtMs,
      };
      expect((await overview(desk)).alerts).toMatchObject([banned]);
      desk.clock.advance(6 * SECOND_MS);
      expect((await overview(desk)).alerts).toMatchObject([banned]);
      await desk.ask(unban, { params: key });
      desk.clock.advance(6 * SECOND_MS);
      expect((await overview(desk)).alerts).toEqual([]);
    });

    test("shows instances that are alive or lost, and not those that stopped", async () => {
      const desk = await openConsole(backend);
      const at = desk.clock.nowMs();
      const about = {
        host: "h",
        version: "1.2.0",
        environment: "production",
        threads: 2,
        startedAtMs: at - DAY_MS,
        health: "ready",
      } as const;
      await desk.store.instances.note({ ...about, id: "a", seenAtMs: at, stoppedAtMs: undefined });
      await desk.store.instances.note({ ...about, id: "b", seenAtMs: at - HOUR_MS, stoppedAtMs: undefined });
      await desk.store.instances.note({ ...about, id: "c", seenAtMs: at, stoppedAtMs: at });
      const view = await overview(desk);
      expect(view.instances).toMatchObject([
        { id: "a", state: "alive" },
        { id: "b", state: "lost" },
      ]);
      expect(view.alerts).toMatchObject([
        { level: "problem", title: "Instance b on h is lost.", sinceMs: at - HOUR_MS },
      ]);
    });
  });
});

test("while Redis does not answer, the overview says so, and shows everything else", async () => {
  const { newSqliteStorage } = await import("../harness/service/service.ts");
  const desk = await openConsole({ newStorage: async () => newSqliteStorage() } as never, {
    redisUrl: "redis://127.0.0.1:1",
  });
  await desk.ask(issue, { form: FORM });
  await desk.ask(showOverview);
  await desk.settled();
  const view = await desk.ask(showOverview);
  expect(view.alerts).toMatchObject([{ level: "warning", title: "Used quotas and bans cannot be shown." }]);
  expect(view.animals).not.toBeNull();
});

describe("what is not well", () => {
  const WELL = { answers: true, isReadOnly: false, disk: { freeBytes: 50e9, totalBytes: 100e9 } };
  const found = (change: Partial<Circumstances>) =>
    findAlerts({
      nowMs: NOW,
      environment: "production",
      instances: [instance()],
      health: WELL,
      bannedKeys: 0,
      rotations: [],
      ...change,
    });
  const TILL = { keyId: "key_a", name: "Till 3", atMs: NOW - 1 };
  const titles = (change: Partial<Circumstances>) => found(change).map(({ title }) => title);

  test("the disk is that of the embedded database", async () => {
    const disk = await diskOf({ kind: "sqlite", path: join(temporaryFolder(), "animal-store.db") });
    expect(disk?.freeBytes).toBeGreaterThan(0);
    expect(disk?.totalBytes).toBeGreaterThan(disk?.freeBytes as number);
    expect(await diskOf({ kind: "sqlite", path: "/nowhere/animal-store.db" })).toBeUndefined();
  });

  test("is nothing when all is well, or not known yet", () => {
    expect(found({})).toEqual([]);
    expect(found({ health: undefined, instances: [] })).toEqual([]);
  });

  test.each([
    [{ health: { ...WELL, answers: false } }, ["The database does not answer."]],
    [{ health: { ...WELL, isReadOnly: true } }, ["The database is read-only."]],
    [
      { health: { ...WELL, disk: { freeBytes: 9e9, totalBytes: 100e9 } } },
      ["The disk is nearly full: 9.0 GB of 100.0 GB left."],
    ],
    [
      { health: { ...WELL, disk: { freeBytes: 0.9e9, totalBytes: 5e9 } } },
      ["The disk is nearly full: 0.9 GB of 5.0 GB left."],
    ],
    [{ health: { ...WELL, disk: { freeBytes: 11e9, totalBytes: 100e9 } } }, []],
    [{ health: { ...WELL, disk: { freeBytes: 11e9, totalBytes: 1_000e9 } } }, []],
    [{ instances: [instance({ health: "counts alone" }), instance({ id: "b" })] }, ["Redis does not answer."]],
    [{ instances: [instance({ health: "not ready" })] }, ["Instance a on one is not ready."]],
    [
      { instances: [instance({ version: "1.1.0" }), instance({ id: "b" })] },
      ["Instances run different versions: 1.1.0, 1.2.0."],
    ],
    [{ instances: [instance({ environment: "staging" })] }, ["Production and staging share this database."]],
    [{ instances: [instance({ seenAtMs: NOW - MINUTE_MS })] }, ["Instance a on one is lost."]],
    // It was restarted since, shut down cleanly, or is old news.
    [{ instances: [instance({ seenAtMs: NOW - MINUTE_MS }), instance({ id: "b", startedAtMs: NOW - 1 })] }, []],
    [{ instances: [instance({ seenAtMs: NOW - MINUTE_MS, stoppedAtMs: NOW - MINUTE_MS })] }, []],
    [{ instances: [instance({ seenAtMs: NOW - 2 * DAY_MS })] }, []],
    [{ bannedKeys: 12 }, ["12 keys are banned."]],
    [{ bannedKeys: undefined }, ["Used quotas and bans cannot be shown."]],
    [{ rotations: [TILL] }, ['The holder of the key "Till 3" has rotated its secret.']],
    [{ rotations: [TILL, TILL] }, ["The holders of 2 keys have rotated their secrets in the last 24 hours."]],
    // The worst first.
    [{ bannedKeys: 1, health: { ...WELL, isReadOnly: true } }, ["The database is read-only.", "1 key is banned."]],
  ] as [Partial<Circumstances>, string[]][])("%#: %p", (change, expected) => {
    expect(titles(change)).toEqual(expected);
  });

  test("says when a holder has rotated, and leads to the key, or to the journal if there were several", () => {
    expect(found({ rotations: [TILL] })).toMatchObject([
      { level: "warning", remedy: "/keys/key_a", sinceMs: NOW - 1, meaning: expect.stringContaining("revoke it") },
    ]);
    expect(found({ rotations: [TILL, TILL] })).toMatchObject([{ remedy: "/journal" }]);
  });

  test("leads to a heading of the operations manual that exists, or to a page", async () => {
    const manual = await Bun.file(`${import.meta.dir}/../../docs/operations.md`).text();
    const anchors = [...manual.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} -]/gu, "")
        .replaceAll(" ", "-"),
    );
    const all = [
      ...found({ health: { answers: false, isReadOnly: true, disk: { freeBytes: 1, totalBytes: 9 } }, bannedKeys: 1 }),
      ...found({
        bannedKeys: undefined,
        instances: [
          instance({ health: "counts alone" }),
          instance({ health: "not ready", environment: "staging", version: "1" }),
          instance({ host: "two", seenAtMs: NOW - HOUR_MS }),
        ],
      }),
    ];
    expect(all).toHaveLength(10);
    for (const { remedy } of all)
      if (!remedy.startsWith("/")) expect(anchors).toContain(remedy.replace("docs/operations.md#", ""));
  });

  test("keeps the time at which it was first seen, for as long as it lasts", () => {
    const seen = new SeenAlerts();
    const banned = found({ bannedKeys: 1 });
    expect(seen.note(banned, 5)).toMatchObject([{ sinceMs: 5 }]);
    expect(seen.note(found({ bannedKeys: 2 }), 7)).toMatchObject([{ title: "2 keys are banned.", sinceMs: 5 }]);
    expect(seen.note([], 8)).toEqual([]);
    expect(seen.note(banned, 9)).toMatchObject([{ sinceMs: 9 }]);
  });
});
