import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run } from "../harness/program/program.ts";

const FOLDER = join(import.meta.dir, "../../deploy/systemd");
const INSTALLED = "/opt/animal-store/animal-store";
const UNITS = readdirSync(FOLDER).sort();
const textOf = (unit: string): string => readFileSync(join(FOLDER, unit), "utf8");

/** The value of a field, the last one if there are several. */
const field = (unit: string, name: string): string | undefined =>
  [...textOf(unit).matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].at(-1)?.[1];

const argumentsOf = (unit: string): string[] => {
  const [program, ...args] = field(unit, "ExecStart")?.split(" ") ?? [];
  expect(program).toBe(INSTALLED);
  return args;
};

describe("the units for systemd", () => {
  test("are the service, its backup, and the timer of that", () => {
    expect(UNITS).toEqual(["animal-store-backup.service", "animal-store-backup.timer", "animal-store.service"]);
  });

  test.skipIf(!Bun.which("systemd-analyze"))("are valid, and leave little exposed", async () => {
    const cwd = temporaryFolder();
    for (const unit of UNITS) writeFileSync(join(cwd, unit), textOf(unit).replaceAll(INSTALLED, EXECUTABLE));
    const analyze = (...args: string[]) => run(args, { cwd, program: ["systemd-analyze"] });
    const { exitCode, err } = await analyze("verify", "--man=no", ...UNITS.map((unit) => join(cwd, unit)));
    expect([exitCode, err]).toEqual([0, ""]);
    for (const unit of UNITS.filter((name) => name.endsWith(".service"))) {
      const { out } = await analyze("security", "--offline=true", "--no-pager", join(cwd, unit));
      expect(Number(/exposure level for \S+: ([\d.]+)/.exec(out)?.[1])).toBeLessThan(2);
    }
  });

  test("run commands that there are, with settings that are valid", async () => {
    for (const unit of UNITS.filter((name) => name.endsWith(".service"))) {
      const [name = "", value = ""] = (field(unit, "Environment") ?? "").split(/=(.*)/s);
      expect(readConfig({ [name]: value })).toMatchObject({ config: { [name]: { kind: "sqlite" } } });
      expect(value).toStartWith(`sqlite:/var/lib/${field(unit, "StateDirectory")}/`);
    }
    expect(argumentsOf("animal-store.service")).toEqual(["serve"]);
  });

  test("make a backup as the timer does", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "backups"));
    await run(["migrate"], { cwd });
    const folder = field("animal-store-backup.service", "ReadWritePaths") as string;
    const args = argumentsOf("animal-store-backup.service");
    expect([args.includes(folder), args.join(" ")]).toEqual([true, expect.stringContaining("--keep 14")]);
    const { exitCode } = await run(
      args.map((arg) => (arg === folder ? "backups" : arg)),
      { cwd },
    );
    expect([exitCode, readdirSync(join(cwd, "backups")).length]).toEqual([0, 1]);
  });

  test("wait longer for a stop than the longest drain takes", () => {
    const longest = 300;
    expect("config" in readConfig({ DRAIN_SECONDS: String(longest) })).toBe(true);
    expect("config" in readConfig({ DRAIN_SECONDS: String(longest + 1) })).toBe(false);
    expect(Number(field("animal-store.service", "TimeoutStopSec"))).toBeGreaterThanOrEqual(longest + 10);
    expect(field("animal-store.service", "Restart")).toBe("on-failure");
  });
});
