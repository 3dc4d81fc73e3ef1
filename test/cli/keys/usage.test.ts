import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HOUR_MS } from "../../../src/base/time/clock.ts";
import { startOf } from "../../../src/domain/usage/grains.ts";
import { newCounts } from "../../../src/domain/usage/usage.ts";
import { openForCommand } from "../../../src/store/open.ts";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { listPets, operatorIn } from "../../harness/program/operator.ts";
import { run, runInTerminal, serve } from "../../harness/program/program.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { databaseMaker } from "../../harness/servers/postgres.ts";

const newDatabase = await databaseMaker();

const pathIn = (cwd: string): string => join(cwd, "data/animal-store.db");

/** Sums of some requests that passed in 0.2 ms, and some that were refused since the minute quota was used up. */
function counted(passed: number, refused = 0, failed = 0) {
  const counts = newCounts();
  [counts[0], counts[2], counts[8], counts[10]] = [passed, refused, failed, passed + failed];
  return counts;
}

describe("keys usage and usage", () => {
  const cwd = temporaryFolder();
  const { cli, json, issue } = operatorIn(cwd);
  const HOSTILE = '=cmd|"x",\u00ab\u05d1\u05d9\u05ea\u00bb';
  const ids: Record<string, string> = {};
  let hour = 0;

  setUp(async () => {
    // The tests must not see the hour end.
    const leftMs = startOf("hour", Date.now()) + HOUR_MS - Date.now();
    if (leftMs < 25_000) await Bun.sleep(leftMs);
    await cli("migrate");
    for (const name of ["Front desk", HOSTILE, "Silent"]) ids[name] = (await issue(name, "pro")).id;
    const store = await openForCommand({ kind: "sqlite", path: pathIn(cwd) }, { create: false });
    hour = startOf("hour", Date.now());
    const sum = (keyId: string | null, hoursAgo: number, counts: number[]) => ({
      keyId,
      startedAtMs: hour - hoursAgo * HOUR_MS,
      counts,
    });
    const [desk, hostile] = [ids["Front desk"] as string, ids[HOSTILE] as string];
    const sums = [
      sum(desk, 0, counted(1_000)),
      sum(desk, 1, counted(250, 750)),
      sum(desk, 3, counted(1)),
      sum(desk, 26, counted(5_000, 0, 10)),
      sum(hostile, 2, counted(20_000)),
      sum(null, 0, counted(22_000, 751)),
    ];
    await store.usage.add({ source: "test", sequence: 1, atMs: 1, sums });
    await store.close();
    // This is usage of a key with which it could not be deleted.
    const db = openDatabaseFile(pathIn(cwd));
    db.run("INSERT INTO key_usage_hours (started_at, key_id, passed) VALUES (?, 'key_gone', 2)", [hour]);
    db.close();
  }, 180_000);

  test("shows a line with a bar for each hour of a day", async () => {
    const { exitCode, out, err } = await cli("keys", "usage", "Front desk");
    expect([exitCode, err]).toEqual([0, ""]);
    const [title = "", , head = "", ...lines] = out.trimEnd().split("\n");
    expect(title).toStartWith(`${ids["Front desk"]}: 2,001 requests since `);
    expect(title).toContain(": 1,251 passed, 750 refused (750 minute quota used up); p50 0.17 ms, p99 0.25 ms.");
    expect(head).toMatch(/^TIME +REQUESTS +REFUSED +FAILED +P50 +P99$/);
    expect(lines).toHaveLength(25);
    expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d \d\d:00Z +1,000 .* █{20,}$/);
    expect(lines.at(-2)).toMatch(/ 1,000 +75\.0% .* █+░+$/);
    expect(lines.at(-3)).toMatch(/Z +0$/);
    expect(lines.at(-4)).toMatch(/ 1 .* [▏█]$/);
    const [refused = ""] = /░+/.exec(lines.at(-2) as string) ?? [];
    const [passed = ""] = /█+/.exec(lines.at(-2) as string) ?? [];
    expect(refused.length / (refused.length + passed.length)).toBeCloseTo(0.75, 1);
  });

  test.each([40, 60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const { exitCode, out } = await runInTerminal(["keys", "usage", "Front desk", "--since", "4h"], { cwd, columns });
    expect(exitCode).toBe(0);
    const [, , ...lines] = out.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    for (const line of lines) expect([line, Bun.stringWidth(line) <= columns]).toEqual([line, true]);
    expect(lines.at(-1)).toContain("█");
    if (columns === 200) expect(Bun.stringWidth(lines.at(-1) as string)).toBe(200);
  });

  test("gives scripts the same as JSON and as CSV", async () => {
    const shown = await json("keys", "usage", ids["Front desk"] as string, "--since", "2d", "--by", "day");
    expect(shown).toMatchObject({ id: ids["Front desk"], name: "Front desk", by: "day" });
    expect(shown.total).toMatchObject({
      requests: 7_011,
      passed: 6_251,
      clientErrors: 0,
      refused: 750,
      refusedBy: { minuteQuota: 750, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 },
      failed: 10,
    });
    expect(shown.total.latency).toHaveLength(15);
    expect(shown.total.latency[1]).toEqual({ toMs: 0.25, requests: 6_261 });
    expect(shown.total.latency[14]).toEqual({ toMs: null, requests: 0 });
    expect(shown.series).toHaveLength(3);
    const sum = shown.series.reduce((all: number, { requests }: { requests: number }) => all + requests, 0);
    expect(sum).toBe(7_011);

    const { out } = await cli("keys", "usage", "Front desk", "--since", "2h", "--csv");
    const [head, ...rows] = out.trimEnd().split("\r\n");
    expect(head).toStartWith("start,requests,passed,client_errors,refused,refused_minute_quota,");
    expect(rows).toHaveLength(3);
    expect(rows[2]).toBe(`${new Date(hour).toISOString().replace(".000", "")},1000,1000,0,0,0,0,0,0,0,0,0,0.175,0.248`);
    expect(rows[0]).toEndWith(",0,0,0,0,0,0,0,0,0,0,0,,");
  });

  test("shows all keys, the busiest first, those that asked for nothing not at all, and totals above them", async () => {
    const { exitCode, out, err } = await cli("usage");
    expect([exitCode, err]).toEqual([0, ""]);
    const [title, , head, ...rows] = out.trimEnd().split("\n");
    expect(title).toMatch(/^22,751 requests since .*: 22,000 passed, 751 refused \(751 minute quota used up\); p50/);
    expect(head).toMatch(/^ID +NAME +REQUESTS +PASSED +CLIENT ERRORS +REFUSED +FAILED +P50 +P99$/);
    expect(rows.map((row) => row.split(" ")[0])).toEqual([ids[HOSTILE], ids["Front desk"], "key_gone"] as string[]);
    expect(rows[1]).toMatch(/ 2,001 +1,251 +0 +37\.5% /);
    expect(rows[2]).toContain("(deleted)");
    const shown = await json("usage", "--since", "90d");
    expect(shown.by).toBe("day");
    expect(shown.keys.map(({ name }: { name: string | null }) => name)).toEqual([HOSTILE, "Front desk"]);
    for (const columns of [50, 80, 160]) {
      const terminal = await runInTerminal(["usage"], { cwd, columns });
      for (const line of terminal.out.trimEnd().split("\n").slice(2))
        expect(Bun.stringWidth(line) <= columns).toBe(true);
    }
  });

  test("a name that would be a formula or break a line of CSV is only a name", async () => {
    const { out } = await cli("usage", "--csv");
    const rows = out.trimEnd().split("\r\n");
    expect(rows).toHaveLength(4);
    expect(rows[1]).toStartWith(`${ids[HOSTILE]},"'${HOSTILE.replaceAll('"', '""')}",20000,20000,`);
  });

  test("a key that has asked for nothing, and a store in which nobody has", async () => {
    const { exitCode, out } = await cli("keys", "usage", "Silent");
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^key_\w{12}: No requests since \S+ \S+Z\.\n$/)]);
    expect((await json("keys", "usage", "Silent")).series).toHaveLength(25);
    const empty = temporaryFolder();
    const other = operatorIn(empty);
    await other.cli("migrate");
    expect((await other.cli("usage")).out).toMatch(/^No requests since \S+ \S+Z\.\n$/);
    expect((await other.json("usage")).keys).toEqual([]);
    expect((await other.cli("usage", "--csv")).out.split("\r\n")).toHaveLength(1);
    expect((await other.cli("instances")).out).toBe(
      "No instance has reported yet: each does so 2 seconds after its start.\n",
    );
    expect(await other.json("instances")).toEqual([]);
  });

  test.each([
    [["keys", "usage", "Front dask"], 1, 'there is no key "Front dask". Did you mean "Front desk"?'],
    [["keys", "usage", "Twin\u001b[31m"], 1, "there is no key"],
    [
      ["keys", "usage", "Silent", "--since", "7h", "--by", "minute"],
      2,
      "usage by minute is kept for 6h: give a --since of at most that, or leave out --by minute",
    ],
    [["keys", "usage", "Silent", "--since", "32d", "--by", "hour"], 2, "usage by hour is kept for 31d"],
    [["keys", "usage", "Silent", "--since", "401d"], 2, "usage is kept for 400d: give a --since of at most that"],
    [["usage", "--since", "401d"], 2, "usage is kept for 400d"],
    [["usage", "--since", "0d"], 2, "A span must be longer than 0."],
    [["usage", "--since", "soon"], 2, "Give a date such as 2027-01-31, a time such as"],
    [["usage", "--json", "--csv"], 2, "option '--csv' cannot be used with option '--json'"],
    [["keys", "usage"], 2, "missing required argument 'id'"],
    [["keys", "usage", "Silent", "--by", "week"], 2, "Allowed choices are minute, hour, day."],
    [["instances", "--since", "1d"], 2, "unknown option '--since'"],
  ])("%j is refused, and it says why", async (args, code, message) => {
    const { exitCode, out, err } = await cli(...args);
    expect([exitCode, out]).toEqual([code, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain("\u001b");
  });

  test("a database that does not exist is not made", async () => {
    for (const args of [["usage"], ["keys", "usage", "x"], ["instances"]]) {
      const { exitCode, err } = await run(args, { cwd: temporaryFolder() });
      expect(exitCode).toBe(1);
      expect(err).toContain("data/animal-store.db");
    }
  });

  test("help names what is kept for how long", async () => {
    const { exitCode, out } = await cli("keys", "usage", "--help");
    expect([exitCode, out]).toEqual([
      0,
      expect.stringContaining("by minute for 6 hours, by hour for 31 days and by day"),
    ]);
    expect((await cli("usage", "--help")).out).toMatch(/--since <when> .+\(default:\s+24h\)/s);
    expect((await cli("instances", "--help")).out).toContain("lost");
  });

  test("a key is deleted with its usage", async () => {
    const id = ids["Front desk"] as string;
    const db = openDatabaseFile(pathIn(cwd));
    const rows = () =>
      ["minutes", "hours", "days"].map(
        (grain) => db.query(`SELECT 1 FROM key_usage_${grain} WHERE key_id = ?`).all(id).length,
      );
    expect(rows().every((count) => count > 0)).toBe(true);
    await cli("keys", "revoke", id, "--yes");
    db.run("UPDATE keys SET revoked_at = revoked_at - 60000 WHERE id = ?", [id]);
    expect((await cli("keys", "delete", id, "--yes")).exitCode).toBe(0);
    expect(rows()).toEqual([0, 0, 0]);
    db.close();
  });
});

test("a crash loses no more than the last seconds, and the instance is then lost", async () => {
  const cwd = temporaryFolder();
  const service = await serve({ cwd });
  const { cli, json } = operatorIn(cwd);
  const secret = (await Bun.file(join(cwd, "data/animal-store.operator-key")).text()).trim();
  for (let i = 0; i < 7; i++) await listPets(service, secret);
  const requests = async (): Promise<number> => (await json("usage", "--since", "1h")).total.requests;
  while ((await requests()) === 0) await Bun.sleep(100);
  await service.kill("SIGKILL");
  expect(await requests()).toBe(7);
  const [alive] = await json("instances");
  expect(alive).toMatchObject({ state: "alive", health: "ready", environment: "production", stoppedAt: null });
  const db = openDatabaseFile(pathIn(cwd));
  db.run("UPDATE instances SET seen_at = seen_at - 60000");
  db.close();
  const again = await serve({ cwd });
  await listPets(again, secret);
  await again.kill("SIGTERM");
  expect(await requests()).toBe(8);
  const states = (await json("instances")).map(({ state }: { state: string }) => state);
  expect(states).toEqual(["lost", "stopped"]);
  const times = [...(await cli("instances")).out.matchAll(/\d{4}-\S+ ?\S*Z/g)].map(([time]) => time);
  expect(times).toEqual(Array(4).fill(expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/)));
  const { out } = await runInTerminal(["instances"], { cwd, columns: 80 });
  expect(out).toMatch(/^0 alive, 1 lost, 1 stopped\n\nID +STATE +HEALTH +HOST +VERSION/);
  for (const line of out.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
}, 180_000);

test("on PostgreSQL, instances add up what each has counted, and all of them are seen", async () => {
  const cwd = temporaryFolder();
  const env = { DATABASE_URL: await newDatabase() };
  const services = [await serve({ cwd, env }), await serve({ cwd, env })];
  const { json, issue } = operatorIn(cwd, env);
  const { id, secret } = await issue("Shared", "business");
  for (const service of services)
    for (let i = 0; i < 3; i++) expect((await listPets(service, secret)).status).toBe(200);
  for (const service of services) await service.kill("SIGTERM");
  expect((await json("keys", "usage", id, "--since", "1h")).total).toMatchObject({ requests: 6, passed: 6 });
  expect((await json("usage")).keys).toMatchObject([{ id, name: "Shared", requests: 6 }]);
  expect((await json("instances")).map(({ state }: { state: string }) => state)).toEqual(["stopped", "stopped"]);
}, 180_000);
