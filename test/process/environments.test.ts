import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { run, serve } from "../harness/program/program.ts";

const STAGING = { ENVIRONMENT: "staging" };

const linesOf = (logged: string) =>
  logged
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const statusOf = async (origin: string, secret: string): Promise<number> =>
  (await fetch(`${origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } })).status;

const secretIn = async (cwd: string): Promise<string> =>
  (await Bun.file(join(cwd, "data/animal-store.operator-key")).text()).trim();

test("staging says so in its banner and in every line of its log, of all threads", async () => {
  const service = await serve({ cwd: temporaryFolder(), env: { ...STAGING, LOG_REQUESTS: "on" }, threads: 2 });
  for (let i = 0; i < 8; i++) await fetch(`${service.origin}/v1/pets`, { headers: { Connection: "close" } });
  await service.kill("SIGTERM");
  expect(service.banner).toMatch(/Animal Store \S+ \(STAGING\)\n/);
  const lines = linesOf(service.logged());
  expect(lines.length).toBeGreaterThanOrEqual(12);
  for (const line of lines) expect(line).toMatchObject({ environment: "staging", pid: expect.any(Number) });
  for (const text of service.logged().trim().split("\n")) expect(text.match(/"environment"/g)).toHaveLength(1);
});

test("production says so in its banner and when it starts, and no other line is longer for it", async () => {
  const service = await serve({ cwd: temporaryFolder() });
  await service.kill("SIGTERM");
  expect(service.banner).toMatch(/Animal Store \S+ \(production\)\n/);
  const named = linesOf(service.logged()).filter((line) => "environment" in line);
  expect(named).toMatchObject([{ msg: "started", environment: "production" }]);
  expect(service.logged()).not.toContain("PUBLIC_URL");
});

describe("keys", () => {
  test("a command whose ENVIRONMENT is not that of the service that runs issues no secret", async () => {
    const cwd = temporaryFolder();
    await serve({ cwd, env: STAGING });
    const alive = async () => JSON.parse((await run(["instances", "--json"], { cwd })).out).length;
    while ((await alive()) === 0) await Bun.sleep(50);
    for (const args of [
      ["create", "--name", "x", "--plan", "pro"],
      ["rotate", "operator"],
    ]) {
      const { exitCode, out, err } = await run(["keys", ...args], { cwd });
      expect([exitCode, out]).toEqual([1, ""]);
      expect(err).toContain(
        "the service on this database is staging, and ENVIRONMENT is production here: set ENVIRONMENT=staging",
      );
      expect((await run(["keys", ...args], { cwd, env: STAGING })).exitCode).toBe(0);
    }
  });

  test("a command issues keys of the environment that it runs in, and both work where they are known", async () => {
    const cwd = temporaryFolder();
    const first = await serve({ cwd, env: STAGING });
    const create = async (env: Record<string, string>): Promise<{ id: string; secret: string }> =>
      JSON.parse((await run(["keys", "create", "--name", "x", "--plan", "pro", "--json"], { cwd, env })).out);
    const ofStaging = await create(STAGING);
    await first.kill("SIGTERM");
    const ofProduction = await create({});
    const service = await serve({ cwd, env: STAGING });
    const operator = await secretIn(cwd);
    expect([operator, ofStaging.secret]).toEqual([
      expect.stringMatching(/^ask_test_\w{36}$/),
      expect.stringMatching(/^ask_test_\w{36}$/),
    ]);
    expect(ofProduction.secret).toMatch(/^ask_[0-9A-Za-z]{36}$/);
    const rotated = await run(["keys", "rotate", ofProduction.id, "--json"], { cwd, env: STAGING });
    expect(JSON.parse(rotated.out).secret).toMatch(/^ask_test_/);
    for (const secret of [operator, ofStaging.secret, ofProduction.secret, JSON.parse(rotated.out).secret])
      expect(await statusOf(service.origin, secret)).toBe(200);
    await service.kill("SIGTERM");
    // The same store, switched to production.
    const switched = await serve({ cwd });
    expect(await statusOf(switched.origin, operator)).toBe(200);
    await switched.kill("SIGTERM");
    expect(service.logged() + switched.logged()).not.toMatch(/ask_test_\w/);
  });
});

test("beyond loopback without PUBLIC_URL, the start warns and names the setting", async () => {
  const service = await serve({ cwd: temporaryFolder(), env: { HOST: "0.0.0.0" }, threads: 2 });
  await service.kill("SIGTERM");
  const warnings = linesOf(service.logged()).filter(({ msg }) => msg.startsWith("PUBLIC_URL is not set"));
  expect(warnings).toMatchObject([{ host: "0.0.0.0", msg: expect.stringContaining("Set it to the base address") }]);
});

test("settings of one environment in the other stop every command, with the remedy", async () => {
  const env = { ...STAGING, STAGING_URL: "https://staging.example.com/v1", PUBLIC_URL: "https://api.example.com/v1" };
  for (const command of [["serve"], ["keys", "list"]]) {
    const { exitCode, out, err } = await run(command, { cwd: temporaryFolder(), env });
    expect([exitCode, out]).toEqual([1, ""]);
    expect(err).toContain("STAGING_URL must not be set in staging: its own address is PUBLIC_URL");
  }
});
