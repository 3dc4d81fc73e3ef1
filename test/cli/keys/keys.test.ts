import { describe, expect, test } from "bun:test";
import manifest from "../../../package.json" with { type: "json" };
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { listPets as get, operatorIn, untilAnswered } from "../../harness/program/operator.ts";
import { type RunningService, serve } from "../../harness/program/program.ts";

const cwd = temporaryFolder();
const { cli, json, issue: issueTo, makeStore } = operatorIn(cwd);
setUp(makeStore);
const issue = (plan: string, ...options: string[]) => issueTo("Front desk", plan, ...options);

describe("keys create", () => {
  test("prints the secret once, to people", async () => {
    const { exitCode, out } = await cli("keys", "create", "--name", "Front desk", "--plan", "free");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/secret +ask_[0-9A-Za-z]{36}\n/);
    expect(out).toContain("free (60 per minute, 1,000 per day)");
    expect(out).toContain("shown only once");
    const [, id, secret] = /id +(key_\w+)[\s\S]*secret +(ask_\w+)/.exec(out) ?? [];
    for (const args of [
      ["keys", "show", id as string],
      ["keys", "list"],
      ["keys", "list", "--json"],
    ])
      expect((await cli(...args)).out).not.toContain(secret as string);
  });

  test("tells people which other keys have the name, since commands then need the id", async () => {
    const create = () => cli("keys", "create", "--name", "Kiosk", "--plan", "free");
    const idIn = ({ out }: { out: string }) => /id +(key_\w+)/.exec(out)?.[1];
    const [first, second] = [await create(), await create()];
    expect([first.err, second.err]).toEqual([
      "",
      `1 other key is named "Kiosk" (${idIn(first)}): name this one by its id, ${idIn(second)}.\n`,
    ]);
  });

  test("with --json prints one object with id and secret", async () => {
    expect(await issue("pro", "--expires", "2999-01-01")).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "Front desk",
      plan: "pro",
      perMinute: 300,
      perDay: 10_000,
      scopes: ["pets:read", "pets:write", "orders:read", "orders:write"],
      rotation: false,
      state: "active",
      createdAt: expect.any(String),
      expiresAt: "2999-01-02T00:00:00Z",
      revokedAt: null,
      suspendedAt: null,
      lastUsedAt: null,
      secret: expect.stringMatching(/^ask_/),
    });
  });

  test("--expires takes a date, which means its end, a moment or a span, and says what it came to", async () => {
    const args = ["keys", "create", "--name", "x", "--plan", "free", "--expires"];
    expect((await cli(...args, "2999-01-31")).out).toContain("end of 2999-01-31 (2999-02-01 00:00:00Z)\n");
    expect((await cli(...args, "2999-01-31T09:30+01:00")).out).toContain("expires  2999-01-31 08:30:00Z\n");
    expect((await cli(...args, "never")).out).toContain("expires  never\n");
    const { createdAt, expiresAt } = await json(...args, "12h");
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeWithin(12 * 3_600_000 - 60_000, 12 * 3_600_000 + 60_000);
  });

  test("--scopes or --read-only says what the key may do", async () => {
    expect(await issue("free", "--read-only")).toMatchObject({ scopes: ["pets:read", "orders:read"] });
    expect(await issue("free", "--scopes", "orders:write,pets:read")).toMatchObject({
      scopes: ["pets:read", "orders:write"],
    });
    const { out } = await cli("keys", "create", "--name", "x", "--plan", "free", "--read-only");
    expect(out).toContain("pets:read, orders:read (read-only)\n");
  });

  test("Enterprise needs its quotas, and no other plan takes any", async () => {
    expect(await issue("enterprise", "--per-minute", "5000", "--per-day", "2000000")).toMatchObject({
      perMinute: 5000,
      perDay: 2_000_000,
    });
    for (const [options, reason] of [
      [["--plan", "enterprise"], "set --per-minute and --per-day"],
      [["--plan", "enterprise", "--per-minute", "5"], "set --per-day"],
      [
        ["--plan", "enterprise", "--per-minute", "5", "--per-day", "4"],
        "more requests per minute than per day: lower --per-minute, or raise --per-day",
      ],
      [["--plan", "pro", "--per-day", "5"], "use --plan enterprise"],
    ] as const) {
      const { exitCode, out, err } = await cli("keys", "create", "--name", "x", ...options);
      expect([exitCode, out]).toEqual([2, ""]);
      expect(err).toMatch(/^error: [^\n]+\n\(add --help for usage\)\n$/);
      expect(err).toContain(reason);
    }
  });
});

describe("mistakes", () => {
  test("a misspelt option, command or plan is an error that suggests the right one, with exit code 2", async () => {
    const mistakes = [
      [["keys", "create", "--nmae", "x", "--plan", "free"], "Did you mean --name?"],
      [["keys", "create", "--name", "x", "--plan", "busines"], "Did you mean business?"],
      [["keys", "crate"], "Did you mean create?"],
      [["kyes"], "Did you mean keys?"],
      [["keys", "create", "--plan", "free"], "'--name <name>' not specified"],
      [["keys", "show"], "missing required argument 'id'"],
      [["keys", "show", "a", "b"], "too many arguments"],
      [["keys", "rotate", "a", "--overlap", "soon"], "such as 30m, 24h or 7d"],
      [["keys", "rotate", "a", "--overlap", "366d"], "--overlap must be at most 365d"],
      [["keys", "create", "--name", "x", "--plan", "free", "--expires", "2020-01-01"], "--expires is in the past"],
      [["keys", "create", "--name", " ", "--plan", "free"], "--name must not be empty"],
      [
        ["keys", "create", "--name", "x", "--plan", "free", "--per-day", "0"],
        "--per-day must be a whole number from 1",
      ],
      [["keys", "create", "--name", "x", "--plan", "free", "--per-day", "x"], "must be a whole number from 1"],
      [["keys", "create", "--name", "x", "--plan", "free", "--scopes", "pets:raed"], "Did you mean pets:read?"],
      [["keys", "create", "--name", "x", "--plan", "free", "--scopes", ""], "Give all, or scopes separated by commas"],
      [
        ["keys", "create", "--name", "x", "--plan", "free", "--scopes", "pets:read", "--read-only"],
        "'--scopes <scopes>' cannot be used with option '--read-only'",
      ],
      [["keys", "create", "--name", "x", "--plan", "free", "--expires", "2027-02-29"], "no such day in the calendar"],
      [["keys", "create", "--name", "x", "--plan", "free", "--expires", "0d"], "A span must be longer than 0."],
      [["keys", "create", "--name", "x", "--plan", "free", "--expires", "99999d"], "at most 36500d"],
      [["keys", "list", "--state", "band"], "Did you mean banned?"],
      [["keys", "list", "--plan", "fre"], "Did you mean free?"],
      [["keys", "list", "--serach", "x"], "Did you mean --search?"],
      [["keys", "suspned", "x"], "Did you mean suspend?"],
      [["keys"], "Usage: animal-store keys"],
    ] as const;
    await Promise.all(
      mistakes.map(async ([args, reason]) => {
        const { exitCode, out, err } = await cli(...args);
        expect([args, exitCode, out]).toEqual([args, 2, ""]);
        expect(err).toContain(reason);
        // One style, whoever finds the mistake. A family of commands without one of them shows its help.
        if (args.length > 1 || args[0] !== "keys")
          expect(err).toMatch(/^error: [^\n]+\n(\(Did you mean [^\n]+\?\)\n)?\(add --help for usage\)\n$/);
      }),
    );
  });

  test("an unknown key is an error with exit code 1, and a near one is suggested", async () => {
    const { id } = await issue("free");
    const commands = ["show", "rotate", "suspend", "resume", "unban"].map((name) => [name]);
    for (const command of [...commands, ["revoke", "--yes"], ["delete", "--yes"]]) {
      const { exitCode, err } = await cli("keys", ...command, `${id.slice(0, -1)}_`);
      expect(exitCode).toBe(1);
      expect(err).toContain(`Did you mean ${id}?`);
    }
    expect((await cli("keys", "show", "nothing")).err).toContain("To see all keys: animal-store keys list");
  });

  test("--help is everywhere, with exit code 0", async () => {
    const commands = [
      [],
      ["serve"],
      ["keys"],
      ["keys", "create"],
      ["keys", "list"],
      ["keys", "show"],
      ["keys", "edit"],
      ["keys", "rotate"],
      ["keys", "suspend"],
      ["keys", "resume"],
      ["keys", "unban"],
      ["keys", "revoke"],
      ["keys", "delete"],
      ["plans"],
      ["backup"],
      ["copy"],
    ];
    await Promise.all(
      commands.map(async (args) => {
        const { exitCode, out, err } = await cli(...args, "--help");
        expect([exitCode, err]).toEqual([0, ""]);
        expect(out).toContain("Usage: animal-store");
      }),
    );
    for (const option of ["--version", "-v"]) expect((await cli(option)).out).toBe(`${manifest.version}\n`);
  });
});

test("plans shows the price list", async () => {
  const { out } = await cli("plans");
  expect(out).toBe(
    `${[
      "PLAN        PER MINUTE  PER DAY",
      "free                60    1,000",
      "pro                300   10,000",
      "business         1,000  100,000",
      "enterprise      custom   custom",
    ].join("\n")}\n`,
  );
  expect(await json("plans")).toContainEqual({ plan: "enterprise", perMinute: null, perDay: null });
});

test("keys revoke twice says so, and rotate refuses a revoked key", async () => {
  const { id } = await issue("free");
  expect((await cli("keys", "revoke", id, "--yes")).out).toBe(`Key ${id} has been revoked.\n`);
  expect((await cli("keys", "revoke", id, "--yes")).out).toContain("was already revoked, at ");
  expect((await cli("keys", "rotate", id)).err).toContain("is revoked");
  expect((await json("keys", "show", id)).state).toBe("revoked");
});

describe("keys rotate says until when the old secrets work", () => {
  const rotate = async (id: string, ...options: string[]): Promise<string> =>
    ((await cli("keys", "rotate", id, ...options)).out.split("\n")[2] as string).replaceAll(id, "ID");

  test("until the overlap ends, or the key does, or no longer", async () => {
    const { id } = await issue("free", "--expires", "30d");
    const { expiresAt } = await json("keys", "show", id);
    expect(await rotate(id)).toMatch(/^Key ID has a new secret\. The old one works until \d{4}-\S+ \S+Z\.$/);
    expect(await rotate(id, "--overlap", "0")).toBe("Key ID has a new secret. Old secrets no longer work.");
    expect(await rotate(id, "--overlap", "60d")).toBe(
      `Key ID has a new secret. The old one works until the key expires, at ${expiresAt.replace("T", " ")}.`,
    );
    expect(await json("keys", "rotate", id, "--overlap", "60d")).toMatchObject({ oldSecretUntil: expiresAt });
  });

  test("each of several until its own time", async () => {
    const { id } = await issue("free");
    const { oldSecretUntil } = await json("keys", "rotate", id, "--overlap", "1h");
    const message = await rotate(id, "--overlap", "7d");
    expect(message).toMatch(/^Key ID has a new secret\. The 2 old ones work until \S+ \S+Z and \d{4}-\S+ \S+Z\.$/);
    expect(message).toContain(`until ${oldSecretUntil.replace("T", " ")} and `);
    const { secrets } = await json("keys", "show", id);
    expect(secrets).toHaveLength(3);
    expect(secrets[0].worksUntil).toBeNull();
    expect(secrets[2].worksUntil).toBe(oldSecretUntil);
  });

  test("and that none works while the key is suspended", async () => {
    const { id } = await issue("free");
    await cli("keys", "suspend", id);
    expect(await rotate(id)).toEndWith("None works while the key is suspended: animal-store keys resume ID");
  });
});

describe("while the service runs", () => {
  let service: RunningService;
  setUp(async () => {
    service = await serve({ cwd });
  });

  test("a new key works at once, and a revocation is felt within 2 s", async () => {
    const { id, secret } = await issue("free");
    expect((await get(service, secret)).status).toBe(200);
    expect(await json("keys", "revoke", id, "--yes")).toMatchObject({ state: "revoked" });
    await untilAnswered(() => get(service, secret), 401);
  });

  test("rotate: the new secret works at once, the old one for the overlap, both on the same quotas", async () => {
    const old = await issue("free");
    await get(service, old.secret);
    const { secret, oldSecretUntil } = await json("keys", "rotate", old.id);
    expect(Date.parse(oldSecretUntil) - Date.now()).toBeGreaterThan(86_300_000);
    expect((await get(service, secret)).headers.get("x-ratelimit-remaining")).toBe("58");
    expect((await get(service, old.secret)).headers.get("x-ratelimit-remaining")).toBe("57");
    const newest = await json("keys", "rotate", old.id, "--overlap", "0");
    await untilAnswered(() => get(service, old.secret), 401);
    expect((await get(service, secret)).status).toBe(401);
    expect((await get(service, newest.secret)).status).toBe(200);
  });

  test("of 200 parallel requests on a fresh Free key exactly 60 pass; 120 ban it; unban is felt within 2 s", async () => {
    const { id, secret } = await issue("free");
    const statuses = await Promise.all(Array.from({ length: 119 }, async () => (await get(service, secret)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(59);
    expect(await (await get(service, secret)).json()).toMatchObject({ code: "key_banned" });
    const shown = await json("keys", "show", id);
    expect(Date.parse(shown.bannedUntil)).toBeGreaterThan(Date.now());

    expect((await cli("keys", "unban", id)).out).toBe(`Key ${id} is no longer banned.\n`);
    while (((await (await get(service, secret)).json()) as { code: string }).code === "key_banned") await Bun.sleep(20);
    expect((await json("keys", "show", id)).bannedUntil).toBeNull();
    expect((await cli("keys", "unban", id)).out).toBe(`Key ${id} was not banned.\n`);
  });

  test("backup writes a whole copy that serves by itself", async () => {
    const { secret } = await issue("free");
    await fetch(`${service.origin}/v1/pets`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect((await cli("backup", "copy.db")).out).toContain("copy.db");
    expect((await cli("backup", "copy.db")).err).toContain("already exists");
    expect((await cli("backup", "/proc/copy.db")).exitCode).toBe(1);
    const copy = await serve({ cwd, env: { DATABASE_URL: "sqlite:copy.db" } });
    expect(await (await get(copy, secret)).json()).toEqual([
      { id: 1, name: "Rex", categoryId: 1, status: "available" },
    ]);
    await copy.kill("SIGTERM");
  });
});
