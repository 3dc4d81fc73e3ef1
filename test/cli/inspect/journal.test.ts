import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Authorship } from "../../../src/domain/journal.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { openForCommand } from "../../../src/store/sqlite/store.ts";
import { atEnd, setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE, run, serve } from "../../harness/program/program.ts";

const TIME = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ";

describe("journal", () => {
  const cwd = temporaryFolder();
  const anna = operatorIn(cwd, { OPERATOR: "Anna" });
  const { cli } = operatorIn(cwd);
  let [id, secret, rotated] = ["", "", ""];

  setUp(async () => {
    await anna.makeStore();
    ({ id, secret } = await anna.issue("Front desk", "free", "--expires", "2999-01-31"));
    await cli("keys", "edit", id, "--plan", "pro", "--name", "Till");
    await cli("keys", "edit", id, "--plan", "pro");
    ({ secret: rotated } = await anna.json("keys", "rotate", id, "--overlap", "7d"));
    await anna.cli("keys", "rotate", id, "--overlap", "0");
    // It is not banned: nothing is changed.
    for (const state of ["suspend", "resume", "unban"]) await anna.cli("keys", state, id);
    await anna.cli("keys", "revoke", id, "--yes");
  });

  test("says what was changed, by whom and when, oldest first, a line each", async () => {
    const { exitCode, out, err } = await cli("journal");
    expect([exitCode, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    const user = (await Bun.$`id -un`.text()).trim();
    expect(lines.map((line) => line.replaceAll(new RegExp(TIME, "g"), "TIME").replaceAll(id, "ID"))).toEqual([
      "TIME  Anna  keys create ID (Front desk)  plan free, per minute 60, per day 1,000, scopes all, expires at TIME",
      `TIME  ${user}  keys edit ID (Front desk)  name Front desk → Till, plan free → pro, per minute 60 → 300, per day 1,000 → 10,000`,
      "TIME  Anna  keys rotate ID (Till)  old secrets work until TIME",
      "TIME  Anna  keys rotate ID (Till)  old secrets work until TIME",
      "TIME  Anna  keys suspend ID (Till)  suspended at TIME",
      "TIME  Anna  keys resume ID (Till)  suspended at TIME → none",
      "TIME  Anna  keys revoke ID (Till)  revoked at TIME",
    ]);
    expect(lines.map((line) => line.slice(0, 20))).toEqual(lines.map((line) => line.slice(0, 20)).sort());
  });

  test("with --json has ISO times, before and after", async () => {
    const entries = await anna.json("journal");
    expect(entries).toHaveLength(7);
    expect(entries[1]).toEqual({
      id: 2,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      by: expect.any(String),
      via: "command",
      role: null,
      action: "keys edit",
      subject: { kind: "key", id, name: "Front desk" },
      before: { name: "Front desk", plan: "free", perMinute: 60, perDay: 1000 },
      after: { name: "Till", plan: "pro", perMinute: 300, perDay: 10_000 },
    });
    expect([entries[0].before, entries[0].after.expiresAt]).toEqual([null, "2999-02-01T00:00:00.000Z"]);
  });

  test("has no secret in it", async () => {
    const { out } = await cli("journal", "--json");
    for (const hidden of [secret, rotated]) {
      expect(hidden).toStartWith("ask_");
      expect(out).not.toContain(hidden);
      expect(out).not.toContain(new Bun.CryptoHasher("sha256").update(hidden).digest("hex"));
    }
  });

  test("shows the changes to one key, by its id or name, and those since a moment", async () => {
    const other = await anna.issue("Other", "free");
    expect(await anna.json("journal", "--key", "Other")).toHaveLength(1);
    expect(await anna.json("journal", "--key", other.id)).toHaveLength(1);
    expect(await anna.json("journal", "--key", id, "--since", "1h")).toHaveLength(7);
    expect(await anna.json("journal", "--since", "2020-01-01")).toHaveLength(8);
    expect(await anna.json("journal", "--since", "2020-01-01T09:30+01:00")).toHaveLength(8);
    const none = await cli("journal", "--key", "key_000000000000");
    expect(none).toEqual({ exitCode: 0, out: "", err: "The journal has no such entries.\n" });
    expect(await anna.json("journal", "--key", "key_000000000000")).toEqual([]);
    expect(await cli("journal", "--key", "Otter")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('there is no key "Otter". Did you mean "Other"?'),
    });
  });

  test("with --limit has the latest entries, oldest first; with --follow, new ones as they are made, a line each", async () => {
    const all = await anna.json("journal");
    expect(await anna.json("journal", "--limit", "2")).toEqual(all.slice(-2));
    expect(await anna.json("journal", "--limit", "1", "--key", id)).toMatchObject([{ action: "keys revoke" }]);
    const follow = (...options: string[]) => {
      const child = Bun.spawn([EXECUTABLE, "journal", "--follow", ...options], { cwd, stdout: "pipe", stderr: "pipe" });
      atEnd(() => child.kill("SIGKILL"));
      let text = "";
      const reading = (async () => {
        for await (const bytes of child.stdout) text += Buffer.from(bytes).toString();
      })();
      const until = async (count: number) => {
        while (text.split("\n").length <= count) await Bun.sleep(10);
        return text.trimEnd().split("\n");
      };
      const end = async () => {
        child.kill("SIGINT");
        await reading;
        return child.exited;
      };
      return { until, end };
    };
    const [asJson, ofOther, asText] = [follow("--json", "--limit", "1"), follow("--key", "Other"), follow()];
    const shownFirst = Math.min(10, all.length);
    await Promise.all([asJson.until(1), ofOther.until(1), asText.until(shownFirst)]);
    await anna.cli("keys", "suspend", "Other");
    await anna.cli("categories", "put", "3", "Cats");
    expect((await asJson.until(3)).map((line) => JSON.parse(line))).toMatchObject([
      all.at(-1),
      { action: "keys suspend", by: "Anna" },
      { action: "categories name", after: { name: "Cats" } },
    ]);
    expect((await asText.until(shownFirst + 2)).slice(-1)[0]).toMatch(/ {2}Anna {2}categories name 3 \(Cats\)/);
    const [created, suspended, ...others] = await ofOther.until(2);
    expect([created, suspended, others]).toEqual([
      expect.stringContaining("keys create"),
      expect.stringContaining("keys suspend"),
      [],
    ]);
    for (const each of [asJson, ofOther, asText]) expect(await each.end()).not.toBe(0);
  });

  test("has help, and takes no nonsense", async () => {
    expect((await cli("journal", "--help")).out).toContain("oldest first");
    for (const [args, reason] of [
      [["--since", "yesterday"], "Give a date such as"],
      [["--since", "0d"], "longer than 0"],
      [["--since", "2999-01-01"], "It is in the future."],
      [["--since", "2027-02-30"], "no such day"],
      [["extra"], "too many arguments"],
    ] as const) {
      const { exitCode, out, err } = await cli("journal", ...args);
      expect([exitCode, out]).toEqual([2, ""]);
      expect(err).toContain(reason);
    }
  });
});

test("the operator's key, which a first start issues, is entered as made by the service", async () => {
  const cwd = temporaryFolder();
  const service = await serve({ cwd });
  const { out } = await run(["journal", "--json"], { cwd });
  await service.kill("SIGTERM");
  expect(JSON.parse(out)).toMatchObject([
    { by: "animal-store", via: "service", action: "keys create", subject: { name: "operator" } },
  ]);
});

test("hostile names and authors do no harm to the terminal; a long journal is shown in little memory", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "data"));
  const store = await openForCommand(join(cwd, "data/animal-store.db"), { create: true });
  const hostile = "a\nb\x1b[31m\u202ecod\u2028";
  const key = newKey({ name: hostile, plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined });
  const signed: Authorship = { by: "x\ry\x1b]0;z\x07", via: "command", atMs: 1 };
  await store.keys.create({ ...signed, key, digest: "d" });
  for (let i = 0; i < 1200; i++) await store.keys.edit({ ...signed, keyId: key.id, name: `n${i}` });
  await store.close();
  const { exitCode, out } = await run(["journal"], { cwd });
  const lines = out.trimEnd().split("\n");
  expect([exitCode, lines.length]).toEqual([0, 1201]);
  expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\u202e]/u);
  expect(lines[0]).toContain("x<U+000D>y<U+001B>]0;z<U+0007>  keys create");
  expect(lines[1]).toContain("name a<U+000A>b<U+001B>[31m<U+202E>cod<U+2028> → n0");
  expect(lines[1200]).toEndWith("name n1198 → n1199");
  // More than a pipe holds, and its reader takes its time.
  expect(out.length).toBeGreaterThan(100_000);
  expect(await Bun.$`${EXECUTABLE} journal | (sleep 0.2; cat)`.cwd(cwd).text()).toBe(out);
  expect(await Bun.$`${EXECUTABLE} journal | head -1`.cwd(cwd).text()).toBe(`${lines[0]}\n`);
});

test("an import is one line wherever people read it, also across the pages that are read at once; JSON has both entries", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "data"));
  const store = await openForCommand(join(cwd, "data/animal-store.db"), { create: true });
  const key = newKey({ name: "n", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined });
  const signed: Authorship = { by: "Anna", via: "command", atMs: 1 };
  await store.keys.create({ ...signed, key, digest: "d" });
  // The import begins with the last entry of the first page of 500.
  for (let i = 0; i < 498; i++) await store.keys.edit({ ...signed, keyId: key.id, name: `n${i}` });
  await store.close();
  await Bun.write(join(cwd, "pets.ndjson"), '{"name":"Rex","categoryId":7}\n');
  const { cli, json } = operatorIn(cwd, { OPERATOR: "Anna" });
  expect((await cli("animals", "import", "pets.ndjson")).exitCode).toBe(0);
  const lines = (await cli("journal")).out.trimEnd().split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([
    500,
    expect.stringMatching(/ {2}Anna {2}animals import 1 {2}.*source pets\.ndjson.*added 1/),
  ]);
  const limited = async (limit: string) => (await cli("journal", "--limit", limit)).out.trimEnd().split("\n");
  expect([await limited("1"), await limited("2")]).toEqual([lines.slice(-1), lines.slice(-2)]);
  expect(await json("journal", "--limit", "1")).toMatchObject([{ id: 501, after: { state: "finished" } }]);
  expect(await json("journal")).toHaveLength(501);
  const follow = Bun.spawn([EXECUTABLE, "journal", "--follow", "--limit", "2"], { cwd, stdout: "pipe" });
  atEnd(() => follow.kill("SIGKILL"));
  let text = "";
  for await (const bytes of follow.stdout) {
    text += Buffer.from(bytes).toString();
    if (text.split("\n").length > 2) break;
  }
  expect(text.trimEnd().split("\n")).toEqual(lines.slice(-2));
});

test("who makes a change is the system user, with who became that by sudo, and needs no name", async () => {
  const cwd = temporaryFolder();
  const user = (await Bun.$`id -un`.text()).trim();
  const { makeStore } = operatorIn(cwd);
  await makeStore();
  for (const env of [
    { USER: "liar" },
    { SUDO_USER: "anna" },
    { DOAS_USER: user },
    { SUDO_USER: "x\ny" },
    { OPERATOR: "Bert B." },
  ])
    await operatorIn(cwd, env).issue("x", "free");
  const { json, cli } = operatorIn(cwd);
  const authors = (await json("journal")).map(({ by }: { by: string }) => by);
  expect(authors).toEqual([user, `anna as ${user}`, user, user, "Bert B."]);
  expect(await operatorIn(cwd, { OPERATOR: "x\ny" }).cli("keys", "list")).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("OPERATOR must not contain control characters"),
  });
  expect((await cli("journal")).exitCode).toBe(0);
});
