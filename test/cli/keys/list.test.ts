import { describe, expect, test } from "bun:test";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { getBanned, listPets, operatorIn } from "../../harness/program/operator.ts";
import { type RunningService, runInTerminal, serve } from "../../harness/program/program.ts";
import { hasRedis, TestRedis } from "../../harness/servers/redis.ts";

describe("keys list", () => {
  const cwd = temporaryFolder();
  const { cli, json, issue, makeStore } = operatorIn(cwd);
  const LONG = "Partner: Happy Paws Veterinary Clinic";
  const COLUMNS = "ID NAME PLAN PER MINUTE PER DAY STATE LAST USED EXPIRES SCOPES CREATED"
    .replaceAll("PER ", "PER_")
    .replace("T U", "T_U");
  const names = async (...filter: string[]): Promise<string[]> =>
    (await json("keys", "list", ...filter)).map((key: { name: string }) => key.name);
  const columnsOf = (head: string | undefined): string =>
    (head ?? "").replaceAll("PER ", "PER_").replace("T U", "T_U").split(/ +/).join(" ");

  setUp(async () => {
    await makeStore();
    await issue("Front desk", "free", "--read-only");
    await issue(LONG, "enterprise", "--per-minute", "5000", "--per-day", "2000000");
    await issue("犬の店・東京本店のレジ端末", "pro", "--expires", "2999-01-31");
    await issue("בית החיות", "free", "--scopes", "pets:read,pets:write,orders:read");
    await cli("keys", "suspend", "בית החיות");
    await issue("Leaked", "free", "--expires", "2999-01-31T09:30Z");
    await cli("keys", "revoke", "Leaked", "--yes");
  });

  test("shows all keys, oldest first, and all columns to what is no terminal", async () => {
    const { exitCode, out, err } = await cli("keys", "list");
    expect([exitCode, err]).toEqual([0, ""]);
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(columnsOf(head)).toBe(COLUMNS);
    expect(rows).toHaveLength(5);
    expect(rows[1]).toMatch(
      /^key_\w{12} {2}Partner: .* Clinic {2}enterprise {7}5,000 {2}2,000,000 {2}active +never +never +all +\d{4}-\d\d-\d\d \d\d:\d\dZ$/,
    );
    expect(rows[2]).toContain("  end of 2999-01-31  ");
    expect(rows[4]).toContain("  2999-01-31 09:30Z  ");
    const created = (await json("keys", "list")).map((key: { createdAt: string }) => key.createdAt);
    expect(created).toEqual([...created].sort());
  });

  test.each([
    [60, "ID NAME STATE LAST_USED"],
    [80, "ID NAME PLAN STATE LAST_USED"],
    [120, "ID NAME PLAN PER_MINUTE PER_DAY STATE LAST_USED EXPIRES"],
    [200, COLUMNS],
  ])(
    "fits a terminal of %i columns: the names are cut, then columns left out, and ids are whole",
    async (columns, shown) => {
      const { exitCode, out } = await runInTerminal(["keys", "list"], { cwd, columns });
      expect(exitCode).toBe(0);
      const [head, ...rows] = out.trimEnd().split("\n");
      expect(columnsOf(head)).toBe(shown);
      expect(rows.map((row) => /^key_\w{12} {2}/.test(row))).toEqual(rows.map(() => true));
      for (const row of rows) expect([row, Bun.stringWidth(row) <= columns]).toEqual([row, true]);
      expect(out.includes(LONG)).toBe(columns === 200);
      expect(out).toContain(columns === 200 ? "東京本店のレジ端末" : "…");
      const places = rows.map((row) => Bun.stringWidth(row.slice(0, row.search(/ (active|suspended|revoked)\b/))));
      expect(new Set(places).size).toBe(1);
    },
  );

  test("filters by state, plan and text, and says how many of how many it shows", async () => {
    expect(await names("--state", "active")).toEqual(["Front desk", LONG, "犬の店・東京本店のレジ端末"]);
    expect(await names("--state", "suspended")).toEqual(["בית החיות"]);
    expect(await names("--state", "revoked")).toEqual(["Leaked"]);
    expect(await names("--state", "expired")).toEqual([]);
    expect(await names("--plan", "free")).toEqual(["Front desk", "בית החיות", "Leaked"]);
    expect(await names("--search", "hApPy p")).toEqual([LONG]);
    expect(await names("--plan", "free", "--state", "active", "--search", "desk")).toEqual(["Front desk"]);
    const { out, err } = await cli("keys", "list", "--plan", "free");
    expect([out.trimEnd().split("\n").length, err]).toEqual([4, "3 of 5 keys\n"]);
    expect(await cli("keys", "list", "--search", "nothing")).toEqual({ exitCode: 0, out: "", err: "0 of 5 keys\n" });
  });

  test("of a store without keys says how to issue one", async () => {
    const empty = operatorIn(temporaryFolder());
    await empty.makeStore();
    expect((await empty.cli("keys", "list", "--plan", "free")).out).toBe(
      "There are no keys yet. To issue one: animal-store keys create\n",
    );
    expect(await empty.json("keys", "list")).toEqual([]);
  });
});

describe("a key that was used and banned", () => {
  const cwd = temporaryFolder();
  const { cli, json, issue } = operatorIn(cwd);
  let service: RunningService;
  let key: { id: string; secret: string };
  setUp(async () => {
    service = await serve({ cwd });
    key = await issue("Busy", "free", "--expires", "30d");
    await cli("keys", "rotate", key.id, "--overlap", "1h");
    await getBanned(service, key.secret);
    while ((await json("keys", "show", key.id)).bannedUntil === null) await Bun.sleep(50);
  });

  /** A time of the JSON, as people see it. */
  const readable = (time: string): string => time.replace("T", " ");

  test("keys show tells everything about it", async () => {
    const shown = await json("keys", "show", key.id);
    // Bun writes what it has matched into the object that it was given.
    const copy = structuredClone(shown);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(copy).toMatchObject({
      state: "banned",
      createdAt: time,
      minute: { used: 60, remaining: 0, resetsAt: time },
      day: { used: 60, remaining: 940, resetsAt: time },
      bannedUntil: time,
      bansInARow: 1,
      nextBanSeconds: 300,
      bansForgottenAt: time,
      secrets: [
        { createdAt: time, worksUntil: shown.expiresAt },
        { createdAt: shown.createdAt, worksUntil: time },
      ],
    });
    const { out } = await cli("keys", "show", key.id);
    expect(out).toContain(`  state         banned until ${readable(shown.bannedUntil)}\n`);
    expect(out).toContain(`  minute quota  60 used, 0 left, resets at ${readable(shown.minute.resetsAt)}\n`);
    expect(out).toContain(`  day quota     60 used, 940 left, resets at ${readable(shown.day.resetsAt)}\n`);
    expect(out).toContain(
      `  bans          1 in a row, the next would last 5 minutes (forgotten at ${readable(shown.bansForgottenAt)})\n`,
    );
    expect(out).toContain(`  secrets       current, issued ${readable(shown.secrets[0].createdAt)}\n`);
    expect(out).toContain(
      `\n                replaced, issued ${readable(shown.createdAt)}, works until ${readable(shown.secrets[1].worksUntil)}\n`,
    );
  });

  test("keys list says until when, and finds it by that", async () => {
    const { out } = await cli("keys", "list", "--state", "banned");
    const minute = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\dZ";
    expect(out).toMatch(new RegExp(`^ID .*\n.* {2}banned until ${minute} {2}.* {2}${minute}\n$`));
    const [listed] = await json("keys", "list", "--state", "banned");
    expect(listed).toMatchObject({ id: key.id, state: "banned", bannedUntil: expect.any(String) });
    expect(await json("keys", "list", "--state", "active")).not.toContainEqual(expect.objectContaining({ id: key.id }));
  });

  test("keys unban puts it back at the start of the ladder", async () => {
    await cli("keys", "unban", key.id);
    expect(await json("keys", "show", key.id)).toMatchObject({ bannedUntil: null, bansInARow: 0, nextBanSeconds: 60 });
    expect((await cli("keys", "show", key.id)).out).toContain("none in a row, the first would last 1 minute\n");
  });

  test("keys list and show say when it was last used, to the minute", async () => {
    expect(await service.kill("SIGTERM")).toBe(0);
    const { lastUsedAt } = await json("keys", "show", key.id);
    expect(lastUsedAt).toEndWith(":00Z");
    expect(Date.now() - Date.parse(lastUsedAt)).toBeWithin(0, 180_000);
    const minute = lastUsedAt.replace("T", " ").replace(":00Z", "Z");
    expect((await cli("keys", "show", key.id)).out).toContain(`  last used     ${minute}\n`);
    expect((await cli("keys", "list", "--search", "busy")).out).toContain(`  active  ${minute}  `);
  });
});

describe.skipIf(!hasRedis)("where instances count in Redis", () => {
  const cwd = temporaryFolder();
  const without = operatorIn(cwd);
  let redis: TestRedis;
  let service: RunningService;
  let key: { id: string; secret: string };
  setUp(async () => {
    redis = await TestRedis.start();
    service = await serve({ cwd, env: { REDIS_URL: redis.url } });
    key = await without.issue("Busy", "free");
    await getBanned(service, key.secret);
    const { json } = operatorIn(cwd, { REDIS_URL: redis.url });
    while ((await json("keys", "show", key.id)).bannedUntil === null) await Bun.sleep(50);
  });
  const NEEDS_REDIS =
    "the instances of this service count requests in Redis: set REDIS_URL to the value that they have";

  test("a command without REDIS_URL fails with one line that says so, and changes nothing", async () => {
    for (const args of [
      ["show", key.id],
      ["unban", key.id],
      ["list", "--state", "banned"],
      ["list", "--state", "active"],
    ])
      expect(await without.cli("keys", ...args)).toEqual({
        exitCode: 1,
        out: "",
        err: `animal-store: ${NEEDS_REDIS}\n`,
      });
    expect((await listPets(service, key.secret)).status).toBe(429);
  });

  test("a list without it shows everything but bans, and says so beside it", async () => {
    const { exitCode, out, err } = await without.cli("keys", "list", "--json");
    expect([exitCode, err]).toEqual([0, `Bans are not shown: ${NEEDS_REDIS}.\n`]);
    const listed = JSON.parse(out).find(({ id }: { id: string }) => id === key.id);
    expect(listed).toMatchObject({ state: "active" });
    expect(listed).not.toHaveProperty("bannedUntil");
  });

  test("with it, everything is known", async () => {
    const { cli, json } = operatorIn(cwd, { REDIS_URL: redis.url });
    expect(await json("keys", "list", "--state", "banned")).toMatchObject([{ id: key.id }]);
    expect(await json("keys", "show", "Busy")).toMatchObject({ bansInARow: 1, minute: { used: 60 } });
    expect((await cli("keys", "unban", "Busy")).out).toBe(`Key ${key.id} is no longer banned.\n`);
  });

  test("while Redis is away, show fails and a list shows everything but bans", async () => {
    const { cli } = operatorIn(cwd, { REDIS_URL: "redis://127.0.0.1:1" });
    const [shown, listed, banned] = await Promise.all(
      [["show", "Busy"], ["list"], ["list", "--state", "banned"]].map((args) => cli("keys", ...args)),
    );
    for (const failed of [shown, banned])
      expect(failed).toEqual({ exitCode: 1, out: "", err: expect.stringMatching(/^animal-store: Redis [^\n]+\n$/) });
    // The head, the operator's key and this one.
    expect([listed?.exitCode, listed?.out.split("\n").length]).toEqual([0, 4]);
    expect(listed?.err).toMatch(/^Bans are not shown: Redis 127\.0\.0\.1:1 [^\n]+\.\n$/);
  });
});
