import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "../../../src/config.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { run, runInTerminal, serve } from "../../harness/program/program.ts";

interface Shown {
  readonly settings: { name: string; value: string | null; source: string; mistake?: string }[];
  readonly misspelt: { name: string; meant: string; source: string }[];
}

const config = (options: { cwd?: string; env?: Record<string, string>; args?: string[] } = {}) =>
  run(["config", ...(options.args ?? [])], {
    cwd: options.cwd ?? temporaryFolder(),
    env: options.env ?? {},
  });

async function shown(env: Record<string, string>, cwd = temporaryFolder()): Promise<Shown> {
  const { out, err } = await config({ cwd, env, args: ["--json"] });
  expect(err).toBe("");
  return JSON.parse(out);
}

const find = ({ settings }: Shown, name: string) => settings.find((setting) => setting.name === name);

describe("config", () => {
  test("shows every setting, its value in force and where it comes from", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".env"), "PORT=9000\nHOST=0.0.0.0\nLOG_LEVEL=debug\n");
    const all = await shown({ PORT: "9001", LOG_LEVEL: "" }, cwd);
    expect(all.settings.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
    expect(find(all, "PORT")).toEqual({ name: "PORT", value: "9001", source: "environment" });
    expect(find(all, "HOST")).toEqual({ name: "HOST", value: "0.0.0.0", source: ".env" });
    // A variable that is set to nothing in the environment is not set, whatever the file says.
    expect(find(all, "LOG_LEVEL")).toEqual({ name: "LOG_LEVEL", value: "info", source: "default" });
    expect(find(all, "REDIS_URL")).toEqual({ name: "REDIS_URL", value: null, source: "default" });
    expect(find(all, "DATABASE_URL")?.value).toBe(`sqlite:${join(cwd, "data/animal-store.db")}`);
    expect(all.misspelt).toEqual([]);
  });

  test("is a table for people, which fits the terminal", async () => {
    const { exitCode, out, err } = await config();
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toMatch(/^NAME +VALUE +FROM\n/);
    expect(out).toMatch(/^PORT +8080 +default$/m);
    const narrow = await runInTerminal(["config"], { cwd: temporaryFolder(), columns: 60 });
    for (const line of narrow.out.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  test.each([
    [
      "DATABASE_URL",
      "postgres://ann:hunter2@db.example:5433/a?sslmode=require",
      "postgres://ann:***@db.example:5433/a?sslmode=require",
    ],
    ["DATABASE_URL", "postgres:/\t/ann:hunter2@db.example/a", "postgres://ann:***@db.example/a"],
    ["DATABASE_URL", "postgres://ann@db.example/a", "postgres://ann@db.example/a"],
    ["REDIS_URL", "redis://:hunter2@a:1, redis://:hunter2@b", "redis://:***@a:1,redis://:***@b:6379"],
    ["REDIS_URL", "rediss://ann:hunter2@a/3?tls_ca=/ca.pem", "rediss://ann:***@a:6379/3?tls_ca=/ca.pem"],
    ["REDIS_URL", "redis://a", "redis://a:6379"],
    [
      "REDIS_URL",
      "redis+sentinel://ann:hunter2@a,b:1/main?sentinel_user=bob&sentinel_%70assword=hunter2",
      "redis+sentinel://ann:***@a:26379,b:1/main?sentinel_user=bob&sentinel_password=***",
    ],
  ])("shows %s %j without its password", async (name, url, masked) => {
    const { exitCode, out } = await config({ env: { [name]: url }, args: ["--json"] });
    expect(exitCode).toBe(0);
    expect(find(JSON.parse(out), name)?.value).toBe(masked);
    expect(out).not.toContain("hunter2");
  });

  test("says what is wrong with each invalid setting, with exit code 1, and still shows no password", async () => {
    const env = { PORT: "none", DATABASE_URL: "postgres://ann:hunter2@db", METRICS_PORT: "9090", HOST: "a b" };
    const { exitCode, out, err } = await config({ env });
    expect([exitCode, err.trimEnd().split("\n")]).toEqual([
      1,
      [
        expect.stringMatching(/^animal-store: HOST must be .*, but is "a b"$/),
        'animal-store: PORT must be a port from 0 to 65535, but is "none"',
        expect.stringMatching(/^animal-store: DATABASE_URL must be /),
      ],
    ]);
    expect(out).toMatch(/^PORT +invalid: none +environment$/m);
    expect(out).toMatch(/^DATABASE_URL +invalid +environment$/m);
    expect(out + err).not.toContain("hunter2");
    const { exitCode: code, out: json } = await config({ env, args: ["--json"] });
    expect(code).toBe(1);
    expect(find(JSON.parse(json), "PORT")?.mistake).toStartWith("PORT must be");
    expect(json).not.toContain("hunter2");
    const clash = await config({ env: { METRICS_PORT: "8080" } });
    expect([clash.exitCode, clash.err]).toEqual([
      1,
      "animal-store: METRICS_PORT must differ from PORT, but both are 8080\n",
    ]);
  });

  test("reads a .env file that cannot be read as a failure", async () => {
    const cwd = temporaryFolder();
    await Bun.$`mkdir .env`.cwd(cwd);
    const { exitCode, err } = await config({ cwd });
    expect([exitCode, err]).toEqual([1, expect.stringContaining("cannot read the file .env in this folder")]);
  });

  test("has help, and exit code 2 for what it does not know", async () => {
    expect((await config({ args: ["--help"] })).out).toMatch(/Passwords\s+are\s+not\s+shown\./);
    for (const args of [["PORT"], ["--jsn"]]) expect((await config({ args })).exitCode).toBe(2);
  });
});

describe("a misspelt setting", () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, ".env"), "PORTS=9000\nPOSTGRES_PASSWORD=x\nREDIS_PORT=1\n");
  const env = { DATABSE_URL: "sqlite:other.db", REDIS_PORT: "tcp://10.0.0.1:6379", ANIMAL_STORE_PORT_8080_TCP: "x" };
  const warnings = [
    "animal-store: warning: DATABSE_URL is not a setting: did you mean DATABASE_URL? (in the environment)",
    "animal-store: warning: PORTS is not a setting: did you mean PORT? (in the file .env)",
  ];

  test("is reported by config, and by every command that works on the database", async () => {
    expect((await shown(env, cwd)).misspelt).toEqual([
      { name: "DATABSE_URL", meant: "DATABASE_URL", source: "environment" },
      { name: "PORTS", meant: "PORT", source: ".env" },
    ]);
    const { exitCode, err } = await config({ cwd, env });
    expect([exitCode, err.trimEnd().split("\n")]).toEqual([0, warnings]);
    const keys = await run(["keys", "list"], { cwd, env });
    expect(keys.err.split("\n").slice(0, 2)).toEqual(warnings);
  });

  test("is in the log of a start, whether that goes on or fails", async () => {
    const service = await serve({ cwd, env });
    await service.kill("SIGTERM");
    for (const text of ["DATABSE_URL is not a setting: did you mean DATABASE_URL?", "did you mean PORT?"])
      expect(service.logged()).toContain(text);
    const quiet = await serve({ cwd: temporaryFolder(), env: { REDIS_PORT: "tcp://10.0.0.1:6379" } });
    await quiet.kill("SIGTERM");
    expect(quiet.logged()).not.toContain("did you mean");
    const failed = await run(["serve"], { cwd, env: { ...env, DATABASE_URL: "sqlite:.env" } });
    expect(failed.exitCode).toBe(1);
    expect(failed.err).toContain("did you mean PORT?");
  });

  test("is found by doctor", async () => {
    const { out } = await run(["doctor", "--json"], { cwd, env });
    expect((JSON.parse(out) as { check: string }[]).find(({ check }) => check === "misspelt settings")).toEqual({
      check: "misspelt settings",
      result: "warning",
      detail: "DATABSE_URL is not a setting: did you mean DATABASE_URL? PORTS is not a setting: did you mean PORT?",
      remedy: "rename them in the environment or in the file .env, or remove them",
    } as unknown as { check: string });
  });
});
