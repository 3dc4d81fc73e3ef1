import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import {
  edit,
  issue,
  resume,
  revoke,
  rotate,
  suspend,
  unban,
  usageOfOneKey,
  viewOfKey,
} from "../../src/console/resources/keys/keys.ts";
import { listOfKeys } from "../../src/console/resources/keys/list.ts";
import { listRequests, showRequest } from "../../src/console/resources/keys/requests.ts";
import { digestOf } from "../../src/domain/keys/key.ts";
import { READ_SCOPES, SCOPES } from "../../src/domain/keys/scope.ts";
import { newTally } from "../../src/domain/limits/tally.ts";
import { leastIdAt } from "../../src/domain/usage/kept-request.ts";
import { newCounts, placeOfOutcome } from "../../src/domain/usage/usage.ts";
import { StoreUnavailable } from "../../src/store/ports/store.ts";
import { ANNA, type Answer, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { bannedTally } from "../harness/service/key-store.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const FORM = { name: "Front desk", plan: "pro", scopes: SCOPES, expiresAtMs: null };
const UNKNOWN = { id: "key_000000000000" };
const caller = { address: "127.0.0.1", origin: "http://localhost", requestId: "r" };

onEveryStore(({ backend, setUp }) => {
  let desk: TestConsole;
  setUp(async () => {
    desk = await openConsole(backend);
  });
  const issued = async (form: object = {}): Promise<Answer> => desk.ask(issue, { form: { ...FORM, ...form } });

  describe("a key that is issued", () => {
    test("is answered with its secret, once, and is in the journal by the name of the session", async () => {
      const answer = await issued({ name: "Kiosk <b>", scopes: READ_SCOPES, expiresAtMs: desk.clock.nowMs() + DAY_MS });
      expect(answer.secret).toMatch(/^ask_/);
      expect(answer.key).toMatchObject({ name: "Kiosk <b>", plan: "pro", state: "active", scopes: READ_SCOPES });
      expect(answer.key.today).toEqual({ quota: 10_000, used: 0, resetsAtMs: null });
      expect((await desk.store.keys.findBySecret(digestOf(answer.secret)))?.key.id).toBe(answer.key.id);
      const shown = await desk.ask(viewOfKey, { params: answer.key });
      expect(shown).toEqual(answer.key);
      expect(JSON.stringify(shown)).not.toContain(answer.secret);
      const [entry] = await desk.journal(1);
      expect(entry).toMatchObject({ by: "Anna 🐾", via: "console", action: "keys create" });
      expect(JSON.stringify(entry, (_, value) => (typeof value === "bigint" ? 0 : value))).not.toContain(answer.secret);
    });

    test.each([
      [{ name: " " }, "name", "The name must not be empty or blank."],
      [{ name: "x".repeat(101) }, "name", "The name must be at most 100 characters long."],
      [
        { name: "a\u202eb" },
        "name",
        "The name must not contain U+202E, which changes the direction of text around it.",
      ],
      [{ name: 7 }, "name", "The name must be text."],
      [{ name: undefined, _: 1 }, undefined, undefined],
      [{ plan: "gold" }, "plan", "The plan must be one of free, pro, business, enterprise."],
      [{ scopes: [] }, "scopes", "A key needs at least one scope: set the access."],
      [
        { scopes: ["pets:fly"] },
        "scopes",
        "The access must be some of pets:read, pets:write, orders:read, orders:write.",
      ],
      [{ scopes: "pets:read" }, "scopes", /^The access must be some of/],
      [{ expiresAtMs: 1 }, "expiresAtMs", "The expiry is in the past: choose a later time, or none."],
      [{ expiresAtMs: "soon" }, "expiresAtMs", "The expiry must be a whole number."],
      [
        { perMinute: 5 },
        "perMinute",
        "The pro plan has fixed quotas: leave out the quota per minute and the quota per day, or use the enterprise plan.",
      ],
      [
        { plan: "enterprise", perMinute: 5 },
        "perDay",
        "The enterprise plan has no fixed quotas: set the quota per day.",
      ],
      [{ plan: "enterprise", perMinute: 5, perDay: 1.5 }, "perDay", "The quota per day must be a whole number."],
      [
        { plan: "enterprise", perMinute: 0, perDay: 9 },
        "perMinute",
        "The quota per minute must be a whole number from 1 to 1000000000.",
      ],
      [
        { plan: "enterprise", perMinute: 10, perDay: 9 },
        "perMinute",
        "The key would have more requests per minute than per day: lower the quota per minute, or raise the quota per day.",
      ],
      [
        { plan: "enterprise", perMinute: 2n ** 62n, perDay: 9 },
        "perMinute",
        "The quota per minute must be a whole number.",
      ],
    ])("is refused for %p, and names the field", async (change, field, message) => {
      const before = (await desk.store.keys.list()).length;
      const answer = await issued(change);
      expect(answer).toMatchObject({ status: 400, ...(field ? { field } : {}) });
      if (typeof message === "string") expect(answer.message).toBe(message);
      else if (message) expect(answer.message).toMatch(message);
      expect(await desk.store.keys.list()).toHaveLength(before);
    });

    test("is refused for what is no form at all", async () => {
      for (const form of [undefined, null, [], "x", 7])
        expect(await desk.ask(issue, { form })).toMatchObject({ status: 400 });
      expect(await desk.ask(issue, { form: { ...FORM, admin: true } })).toMatchObject({ code: "unknown_field" });
      expect(await desk.ask(issue, { form: { plan: "pro" } })).toMatchObject({
        code: "missing_field",
        field: "name",
        message: "The name is missing. Fill it in.",
      });
    });
  });

  describe("a key is changed", () => {
    test("in its name, plan, quotas, access and expiry; what is left out stays", async () => {
      const { key } = await issued();
      const params = { id: key.id };
      const form = { name: "Till", plan: "enterprise", perMinute: 7n, perDay: 70n };
      expect(await desk.ask(edit, { params, form })).toMatchObject({
        name: "Till",
        quotas: { perMinute: 7, perDay: 70 },
      });
      const expiresAtMs = desk.clock.nowMs() + HOUR_MS;
      expect(await desk.ask(edit, { params, form: { expiresAtMs, scopes: READ_SCOPES } })).toMatchObject({
        name: "Till",
        expiresAtMs,
        scopes: READ_SCOPES,
      });
      expect(await desk.ask(edit, { params, form: { mayRotate: true } })).toMatchObject({ mayRotate: true });
      expect(await desk.ask(edit, { params, form: { mayRotate: "on" } })).toMatchObject({
        field: "mayRotate",
        message: "The rotation must be on or off.",
      });
      expect(await desk.ask(edit, { params, form: { mayRotate: false } })).toMatchObject({ mayRotate: false });
      expect(await desk.ask(edit, { params, form: { expiresAtMs: null } })).toMatchObject({ expiresAtMs: null });
      expect(await desk.journal(5)).toMatchObject([
        { action: "keys edit", after: { expiresAt: null } },
        { action: "keys edit", before: { rotation: "on" }, after: { rotation: null } },
        { action: "keys edit", before: { rotation: null }, after: { rotation: "on" } },
        { action: "keys edit", via: "console" },
        { action: "keys edit", before: { name: "Front desk" }, after: { name: "Till", perMinute: 7 } },
      ]);
      expect(await desk.ask(edit, { params, form: {} })).toMatchObject({ status: 400, code: "nothing_to_change" });
      expect(await desk.ask(edit, { params, form: { plan: "free", perDay: 5 } })).toMatchObject({ field: "perMinute" });
    });

    test("by a rotation, whose old secrets work for the overlap", async () => {
      const { key, secret } = await issued();
      const params = { id: key.id };
      const rotated = await desk.ask(rotate, { params, form: { overlapMs: HOUR_MS } });
      expect(rotated.secret).not.toBe(secret);
      expect(rotated.key.secrets).toEqual([
        { createdAtMs: desk.clock.nowMs(), worksUntilMs: null },
        { createdAtMs: desk.clock.nowMs(), worksUntilMs: desk.clock.nowMs() + HOUR_MS },
      ]);
      for (const overlapMs of [-1, 366 * DAY_MS])
        expect(await desk.ask(rotate, { params, form: { overlapMs } })).toMatchObject({
          status: 400,
          field: "overlapMs",
          message: "The overlap must be at most 365d.",
        });
      expect(await desk.ask(rotate, { params, form: {} })).toMatchObject({ field: "overlapMs" });
      expect(await desk.journal(1)).toMatchObject([{ action: "keys rotate", via: "console" }]);
    });

    test("by suspending and resuming it", async () => {
      const { key } = await issued();
      const params = { id: key.id };
      expect(await desk.ask(suspend, { params })).toMatchObject({
        state: "suspended",
        suspendedAtMs: desk.clock.nowMs(),
      });
      expect(await desk.ask(resume, { params })).toMatchObject({ state: "active", suspendedAtMs: null });
      expect(await desk.journal(2)).toMatchObject([{ action: "keys resume" }, { action: "keys suspend" }]);
    });

    test("by revoking it, for which its name is typed; then nothing else can be done to it", async () => {
      const { key } = await issued({ name: "Café" });
      const params = { id: key.id };
      for (const name of ["", "cafe", "Cafe", "Café 2"])
        expect(await desk.ask(revoke, { params, form: { name } })).toMatchObject({
          status: 409,
          field: "name",
          message: 'The key is named "Café". Type that name to continue.',
        });
      expect(await desk.ask(revoke, { params, form: {} })).toMatchObject({ status: 400, field: "name" });
      expect(await desk.ask(viewOfKey, { params })).toMatchObject({ state: "active" });
      // The accent may be typed as a combining character.
      expect(await desk.ask(revoke, { params, form: { name: " Cafe\u0301 " } })).toMatchObject({
        state: "revoked",
        secrets: [],
      });
      expect(await desk.journal(1)).toMatchObject([{ action: "keys revoke", via: "console", by: "Anna 🐾" }]);
      const message = "This key is revoked, which cannot be undone: issue a new one.";
      const hidden = await desk.ask(listOfKeys, { query: { state: "not_revoked" } });
      expect(hidden.keys.map(({ id }: { id: string }) => id)).not.toContain(params.id);
      for (const [act, form] of [[suspend], [resume], [rotate, { overlapMs: 0 }], [edit, { name: "x" }]] as const)
        expect(await desk.ask(act, { params, form })).toMatchObject({ status: 409, message });
    });

    test("by lifting its ban", async () => {
      const { key } = await issued({ plan: "free" });
      await desk.count(key.id, bannedTally(desk.clock.nowMs()));
      const params = { id: key.id };
      const banned = await desk.ask(viewOfKey, { params });
      expect(banned).toMatchObject({
        state: "banned",
        bannedUntilMs: desk.clock.nowMs() + MINUTE_MS,
        bans: { inARow: 1 },
      });
      expect(banned.today).toMatchObject({ quota: 1000, used: 60 });
      expect(await desk.ask(unban, { params })).toMatchObject({
        state: "active",
        bannedUntilMs: null,
        bans: { inARow: 0 },
      });
      expect(await desk.journal(1)).toMatchObject([{ action: "keys unban", via: "console" }]);
    });

    test("although the store cannot be read just then: no secret is lost, and nobody hears that nothing was changed", async () => {
      const { key } = await issued({ name: "Kept" });
      const { parts } = desk;
      const isUnreadable = () => {
        throw new StoreUnavailable("the disk is gone");
      };
      const keys = Object.assign(Object.create(parts.store.keys), parts.store.keys, { secretsOf: isUnreadable });
      const failing = { ...parts, store: { ...parts.store, keys } };
      const call = {
        params: key,
        query: new URLSearchParams(),
        request: new Request("http://localhost/"),
        caller,
        hasSession: async () => true,
      };
      const failuresBefore = desk.failures.length;
      const rotated = (await rotate(failing, ANNA, { ...call, form: async () => ({ overlapMs: 0 }) })) as Answer;
      expect(rotated.key).toMatchObject({ id: key.id, name: "Kept", state: "active", today: null });
      expect((await desk.store.keys.findBySecret(digestOf(rotated.secret)))?.key.id).toBe(key.id);
      const made = (await issue(failing, ANNA, { ...call, form: async () => ({ ...FORM, name: "Made" }) })) as Answer;
      expect((await desk.store.keys.findBySecret(digestOf(made.secret)))?.key.name).toBe("Made");
      expect(desk.failures.length).toBe(failuresBefore + 2);
      const failure = await Promise.resolve(suspend(failing, ANNA, { ...call, form: async () => undefined })).catch(
        (error) => error,
      );
      expect(failure).toMatchObject({ name: "StoreUnavailable", changed: "unknown" });
      expect(await desk.ask(viewOfKey, { params: key })).toMatchObject({ state: "suspended" });
    });

    test("only if it is there: it may have been deleted meanwhile", async () => {
      const { key } = await issued();
      await desk.ask(revoke, { params: key, form: { name: key.name } });
      await desk.store.keys.delete({ by: "x", via: "command", atMs: 1, keyId: key.id });
      const entries = (await desk.store.journal.list({ size: 10_000 })).rows.length;
      // A name is not an id: two keys may share it.
      for (const params of [{ id: key.id }, UNKNOWN, { id: "Till" }, { id: "" }, { id: "../../x" }, {}])
        for (const act of [viewOfKey, usageOfOneKey, suspend, resume, unban])
          expect(await desk.ask(act, { params })).toMatchObject({ status: 404, code: "key_not_found" });
      for (const [act, form] of [
        [edit, { name: "x" }],
        [rotate, { overlapMs: 0 }],
        [revoke, { name: "x" }],
      ] as const)
        expect(await desk.ask(act, { params: UNKNOWN, form })).toMatchObject({ status: 404, code: "key_not_found" });
      expect((await desk.store.journal.list({ size: 10_000 })).rows).toHaveLength(entries);
    });

    test("or was expired: it says what to do", async () => {
      const { key } = await issued({ expiresAtMs: desk.clock.nowMs() + 5 });
      desk.clock.advance(10);
      expect(await desk.ask(suspend, { params: key })).toMatchObject({ status: 409, code: "key_expired" });
      expect(await desk.ask(viewOfKey, { params: key })).toMatchObject({ state: "expired" });
    });
  });

  test("a key's usage is shown by minute, hour and hour", async () => {
    const { key } = await issued();
    const counts = newCounts();
    counts[0] = 5;
    const startedAtMs = Math.floor(desk.clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    const sums = [{ keyId: key.id as string, startedAtMs, counts }];
    await desk.store.usage.add({ source: "s", sequence: 1, atMs: 1, sums });
    for (const [span, grain, buckets] of [
      ["hour", "minute", 61],
      ["day", "hour", 25],
      ["month", "hour", 721],
    ] as const) {
      const answer = await desk.ask(usageOfOneKey, { params: key, query: { span } });
      expect([answer.grain, answer.buckets.length, answer.sum.passed]).toEqual([grain, buckets, 5]);
    }
    expect(await desk.ask(usageOfOneKey, { params: key, query: { span: "year" } })).toMatchObject({ field: "span" });
    // A key's minutes are kept for 6 hours, its hours for 31 days and its days for 400.
    for (const [agoMs, grain, hasBefore] of [
      [2 * HOUR_MS, "minute", true],
      [4 * HOUR_MS, "hour", true],
      [20 * DAY_MS, "hour", false],
      [100 * DAY_MS, "day", true],
      [300 * DAY_MS, "day", false],
    ] as const) {
      const answer = await desk.ask(usageOfOneKey, {
        params: key,
        query: { from: String(desk.clock.nowMs() - agoMs) },
      });
      expect([answer.grain, answer.sum.passed, answer.before !== null]).toEqual([grain, 5, hasBefore]);
    }
    const tooEarly = { from: String(desk.clock.nowMs() - 401 * DAY_MS) };
    expect(await desk.ask(usageOfOneKey, { params: key, query: tooEarly })).toMatchObject({
      status: 400,
      field: "from",
    });
  });
});

onEveryStore(({ backend, setUp }) => {
  let desk: TestConsole;
  let ids: string[];
  setUp(async () => {
    desk = await openConsole(backend);
    ids = [];
    for (let i = 0; i < 55; i++) {
      desk.clock.advance(1);
      const form = { ...FORM, name: i === 54 ? "Straße 日本" : `Key ${i}`, plan: i % 2 ? "pro" : "free" };
      ids.push((await desk.ask(issue, { form })).key.id);
    }
    const used = newTally();
    Object.assign(used.day, { openedAtMs: desk.clock.nowMs(), used: 12 });
    await desk.count(ids[54] as string, used);
    await desk.count(ids[53] as string, bannedTally(desk.clock.nowMs()));
    await desk.store.keys.noteUse([{ keyId: ids[53] as string, atMs: desk.clock.nowMs() }]);
  });

  describe("the list of keys", () => {
    test("has the newest first, 50 a page, with today's quota and bans", async () => {
      const answer = await desk.ask(listOfKeys);
      expect(answer).toMatchObject({ page: 1, pages: 2, matching: 55, total: 55, areBansKnown: true, usedThisWeek: 1 });
      expect(answer.keys).toHaveLength(50);
      expect(answer.keys[0]).toMatchObject({ name: "Straße 日本", state: "active", today: { quota: 1000, used: 12 } });
      expect(answer.keys[1]).toMatchObject({ state: "banned", today: { quota: 10_000, used: 60 } });
      const second = await desk.ask(listOfKeys, { query: { page: "2" } });
      expect(second.keys.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 5).toReversed());
      for (const page of ["3", "999999", "0", "x", "-1", "1e9"])
        expect((await desk.ask(listOfKeys, { query: { page } })).keys.length).toBeGreaterThan(0);
    });

    test("is filtered by text, plan and state", async () => {
      const matching = async (query: Record<string, string>) => (await desk.ask(listOfKeys, { query })).matching;
      expect(await matching({ search: "STRASSE" })).toBe(0);
      expect(await matching({ search: "straße" })).toBe(1);
      expect(await matching({ search: ids[3] as string })).toBe(1);
      expect(await matching({ search: " " })).toBe(55);
      expect(await matching({ plan: "pro" })).toBe(27);
      expect(await matching({ state: "banned" })).toBe(1);
      expect(await matching({ state: "active", plan: "pro" })).toBe(26);
      expect(await desk.ask(listOfKeys, { query: { plan: "gold" } })).toMatchObject({ status: 400, field: "plan" });
      expect(await desk.ask(listOfKeys, { query: { state: "ill" } })).toMatchObject({ status: 400, field: "state" });
    });

    test("is sorted by any column but the access, over all pages, and says which orders there are", async () => {
      const sorted = async (sort: string, page = "1") => {
        const { keys } = await desk.ask(listOfKeys, { query: { sort, page } });
        return keys.map(({ id }: { id: string }) => ids.indexOf(id));
      };
      expect((await sorted("name")).slice(0, 4)).toEqual([0, 1, 10, 11]);
      expect((await sorted("-name")).slice(0, 3)).toEqual([54, 9, 8]);
      expect(await sorted("name", "2")).toEqual([6, 7, 8, 9, 54]);
      expect((await sorted("plan")).slice(0, 3)).toEqual([54, 52, 50]);
      expect((await sorted("state")).at(0)).toBe(54);
      expect(await sorted("state", "2")).toEqual([3, 2, 1, 0, 53]);
      expect((await sorted("-today")).slice(0, 3)).toEqual([54, 53, 52]);
      expect((await sorted("-lastUsed")).slice(0, 3)).toEqual([53, 54, 52]);
      expect(await desk.ask(listOfKeys, { query: { sort: "access" } })).toMatchObject({
        status: 400,
        field: "sort",
        message:
          "The order must be one of name, -name, plan, -plan, state, -state, today, -today, lastUsed, -lastUsed, refused, -refused.",
      });
    });

    test("has the requests of the last 24 hours by outcome, and is sorted by those that were refused", async () => {
      const startedAtMs = Math.floor(desk.clock.nowMs() / MINUTE_MS) * MINUTE_MS;
      const refusedOf = (i: number, refused: number, atMs = startedAtMs) => {
        const counts = newCounts();
        counts[placeOfOutcome("minute_quota")] = refused;
        return { keyId: ids[i] as string, startedAtMs: atMs, counts };
      };
      const sums = [refusedOf(3, 5), refusedOf(8, 70), refusedOf(9, 900, startedAtMs - 2 * DAY_MS)];
      const others = { passed: 1, client_error: 2, failed: 3 } as const;
      for (const [outcome, count] of Object.entries(others))
        (sums[1] as { counts: number[] }).counts[placeOfOutcome(outcome as keyof typeof others)] = count;
      await desk.store.usage.add({ source: "s", sequence: 1, atMs: 1, sums });
      desk.clock.advance(MINUTE_MS);
      await desk.ask(listOfKeys);
      await desk.settled();
      const answer = await desk.ask(listOfKeys, { query: { sort: "-refused" } });
      expect(answer.keys.slice(0, 3)).toMatchObject([
        { id: ids[8], refused: 70 },
        { id: ids[3], refused: 5 },
        { id: ids[54], refused: 0, hours: null },
      ]);
      const { hours } = answer.keys[0];
      expect(hours.refused).toEqual([...Array(24).fill(0), 70]);
      const lastHour = Object.entries(hours as Record<string, number[]>).map(([name, values]) => [name, values.at(-1)]);
      expect(Object.fromEntries(lastHour)).toEqual({ passed: 1, clientErrors: 2, refused: 70, failed: 3 });
    });

    test("shows at once what was changed, also by somebody else", async () => {
      const query = { search: "Key 7" };
      await desk.ask(listOfKeys, { query });
      await desk.store.keys.suspend({ by: "x", via: "command", atMs: desk.clock.nowMs(), keyId: ids[7] as string });
      expect((await desk.ask(listOfKeys, { query })).keys).toMatchObject([{ name: "Key 7", state: "suspended" }]);
      await desk.ask(unban, { params: { id: ids[53] as string } });
      expect((await desk.ask(listOfKeys, { query: { state: "banned" } })).matching).toBe(0);
    });
  });
});

onEveryStore(({ backend }) => {
  test("the requests of a key are listed page by page and by filter, and each is shown with its message", async () => {
    const desk = await openConsole(backend);
    const { key } = await desk.ask(issue, { form: FORM });
    const { key: other } = await desk.ask(issue, { form: { ...FORM, name: "Other" } });
    const nowMs = desk.clock.nowMs();
    const request = { keyId: key.id, method: "POST", path: "/v1/pets", requestId: "r", latencyMs: 0.5 };
    const error = { code: "invalid_value", message: '"name" <b>', idempotencyKey: "k" };
    const none = { code: undefined, message: undefined, idempotencyKey: undefined };
    const counts = newCounts();
    counts[0] = 200;
    await desk.store.usage.add({
      source: "s",
      sequence: 1,
      atMs: nowMs,
      sums: [{ keyId: key.id, startedAtMs: nowMs, counts }],
      requests: Array.from({ length: 60 }, (_, i) => ({
        ...request,
        id: leastIdAt(nowMs - i * MINUTE_MS),
        status: i === 7 ? 201 : 400,
        ...(i === 7 ? none : error),
      })),
    });
    const params = { id: key.id };
    const list = (query: Record<string, string> = {}) => desk.ask(listRequests, { params, query });
    const first = await list();
    expect(first).toMatchObject({ keptDays: 7, kept: 60, leftOut: 140 });
    expect(first.codes).toContain("invalid_value");
    expect(first.items).toHaveLength(50);
    expect((await list({ cursor: first.next })).items).toHaveLength(10);
    const [created, ...more] = (await list({ status: "2xx" })).items;
    expect(more).toEqual([]);
    const known = { id: String(leastIdAt(nowMs - 7 * MINUTE_MS)), atMs: nowMs - 7 * MINUTE_MS };
    const { keyId: _, ...sent } = request;
    expect(created).toEqual({ ...known, ...sent, status: 201, code: null, message: null, idempotencyKey: null });
    const between = { since: String(nowMs - 3 * MINUTE_MS), until: String(nowMs), code: "invalid_value" };
    expect((await list(between)).items).toHaveLength(3);
    for (const [field, value] of [
      ["status", "4XX"],
      ["since", "soon"],
      ["until", "-1"],
      ["cursor", "x"],
    ] as const)
      expect(await list({ [field]: value })).toMatchObject({ status: 400, field });
    expect(await list({ since: "5", until: "5" })).toMatchObject({ status: 400, field: "until" });

    const one = (id: string, of = key.id) => desk.ask(showRequest, { params: { id: of, request: id } });
    const shown = await one(first.items[0].id);
    expect(shown).toEqual({ ...first.items[0], keyName: "Front desk" });
    expect(shown).toMatchObject({ message: '"name" <b>', idempotencyKey: "k", latencyMs: 0.5 });
    for (const id of ["1", "x", ""]) expect(await one(id)).toMatchObject({ status: 404, code: "request_not_found" });
    expect(await one(first.items[0].id, other.id)).toMatchObject({ status: 404, code: "request_not_found" });
    expect(await one("1", UNKNOWN.id)).toMatchObject({ status: 404 });
    expect(await desk.ask(listRequests, { params: other })).toMatchObject({ items: [], kept: 0, leftOut: 0 });
    expect(await desk.ask(listRequests, { params: UNKNOWN })).toMatchObject({ status: 404 });
  });
});

test("while Redis does not answer, keys are shown without what is counted there", async () => {
  const desk = await openConsole(
    { newStorage: (await import("../harness/service/service.ts")).newSqliteStorage } as never,
    {
      redisUrl: "redis://127.0.0.1:1",
    },
  );
  const { key } = await desk.ask(issue, { form: FORM });
  expect(key).toMatchObject({ state: "active", today: null, minute: null, bans: null });
  expect(await desk.ask(viewOfKey, { params: key })).toMatchObject({ today: null, secrets: [{ worksUntilMs: null }] });
  // A ban can still be lifted.
  expect(await desk.ask(unban, { params: key })).toMatchObject({ state: "active", bans: null });
  expect((await desk.store.keys.get(key.id))?.unbannedAtMs).toBe(desk.clock.nowMs());
  await desk.ask(listOfKeys);
  await desk.settled();
  const answer = await desk.ask(listOfKeys);
  expect(answer).toMatchObject({ areBansKnown: false, keys: [{ today: null, state: "active" }] });
  expect(await desk.ask(listOfKeys, { query: { sort: "today" } })).toMatchObject({ status: 503, field: "sort" });
  expect(await desk.ask(listOfKeys, { query: { state: "banned" } })).toMatchObject({ status: 503, field: "state" });
});
