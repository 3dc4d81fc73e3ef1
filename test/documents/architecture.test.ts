import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { importsOf, pathOf, violations } from "../../scripts/rooms.ts";

const ROOT = join(import.meta.dir, "../..");

/** The forbidden imports among files, as `file imported`. */
function forbidden(files: Record<string, readonly string[]>): readonly string[] {
  const each = Object.entries(files).flatMap(([file, imports]) => imports.map((imported) => [file, imported] as const));
  return each
    .filter(([file, imported]) => violations(new Map([[file, [imported]]])).length > 0)
    .map((pair) => pair.join(" "));
}

const pairs = (files: Record<string, readonly string[]>): readonly string[] =>
  Object.entries(files).flatMap(([file, imports]) => imports.map((imported) => `${file} ${imported}`));

describe("imports point down, and `npm run check` says so", () => {
  test("what a room may not import", () => {
    const files = {
      "client/src/new.ts": ["../../src/domain/keys/key.ts", "../test/shared-time.ts", "node:util", "bun", "pino"],
      "client/testing/new.ts": [
        "../src/animal-store.ts",
        "../../src/store/open.ts",
        "../../src/start.ts",
        "node:util",
        "bun",
      ],
      "src/base/new.ts": ["../domain/journal.ts", "../store/open.ts"],
      "src/domain/new.ts": ["../store/ports/store.ts", "../http/faults/faults.ts"],
      "src/telemetry/new.ts": ["../store/ports/store.ts", "../meter/meter.ts", "../config.ts"],
      "src/meter/new.ts": ["../store/ports/store.ts", "../telemetry/log.ts", "../config.ts"],
      "src/meter/redis/new.ts": ["../../store/ports/store.ts", "../../config.ts"],
      "src/store/sql/new.ts": ["../../meter/meter.ts", "../../access/gate.ts", "../sqlite/store.ts"],
      "src/store/migrations/sqlite/new.ts": ["../../ports/store.ts", "../../../domain/stock/order.ts"],
      "src/store/sqlite/new.ts": ["../postgres/database.ts", "../open.ts", "../copy/copy.ts", "../../meter/meter.ts"],
      "src/store/postgres/new.ts": ["../sqlite/file/database.ts", "../open.ts", "../copy/copy.ts"],
      "src/access/new.ts": ["../meter/redis/meter.ts", "../meter/memory.ts", "../store/open.ts", "../keys/issue.ts"],
      "src/keys/new.ts": ["../access/gate.ts", "../http/faults/faults.ts", "../cli/program.ts", "../store/open.ts"],
      "src/http/new.ts": ["../store/postgres/database.ts", "../meter/meter.ts", "../config.ts", "../keys/issue.ts"],
      "src/http/operations/new.ts": ["../../store/sqlite/store.ts", "../../start.ts", "../../telemetry/metrics.ts"],
      "src/console/api/new.ts": ["../../store/ports/store.ts", "../handler.ts"],
      "src/config.ts": ["./start.ts", "./http/faults/faults.ts", "./store/open.ts"],
      "src/start/new.ts": ["../start.ts", "../cli/program.ts", "../store/open.ts"],
      "src/start.ts": ["./cli/serve.ts"],
      "src/cli/new.ts": [
        "../http/routes.ts",
        "../access/gate.ts",
        "../store/sqlite/store.ts",
        "../meter/redis/meter.ts",
      ],
      "console/new.ts": ["../src/store/ports/store.ts", "../src/console/handler.ts"],
    };
    expect(forbidden(files)).toEqual(pairs(files));
  });

  test("what it may", () => {
    const files = {
      "client/src/new.ts": ["./error.ts", "./wire/int64.ts"],
      "client/testing/new.ts": ["../src/testing.ts", "../../src/http/v1-handler.ts", "../../src/domain/stock/order.ts"],
      "src/domain/new.ts": ["./stock/order.ts", "../base/lazy.ts"],
      "src/telemetry/new.ts": ["../base/lazy.ts", "pino"],
      "src/meter/redis/new.ts": ["../meter.ts", "../../domain/limits/tally.ts"],
      "src/store/sqlite/new.ts": ["../sql/rows.ts", "../migrations/sqlite/index.ts", "../../domain/stock/order.ts"],
      "src/access/new.ts": ["../store/ports/store.ts", "../meter/meter.ts", "../domain/keys/key.ts"],
      "src/keys/new.ts": ["../store/ports/store.ts", "../domain/keys/key.ts"],
      "src/http/new.ts": ["../access/gate.ts", "../store/ports/store.ts", "./faults/faults.ts"],
      "src/http/operations/new.ts": ["../../domain/stock/order.ts", "../faults/faults.ts"],
      "src/start.ts": ["./store/open.ts", "./http/routes.ts"],
      "src/cli/new.ts": ["../keys/issue.ts", "../start.ts", "../config.ts"],
      "console/new.ts": ["../src/console/api/index.ts", "../src/domain/stock/order.ts"],
    };
    expect(forbidden(files)).toEqual([]);
  });

  test("rooms of one folder do not import each other in a circle, whatever the files are", () => {
    const circle = new Map([
      ["src/http/cache/a.ts", ["../reply/b.ts"]],
      ["src/http/reply/b.ts", ["../faults/c.ts"]],
      ["src/http/faults/c.ts", ["../cache/d.ts"]],
    ]);
    expect(violations(circle)).toEqual(["src/http has a circle: cache → reply → faults → cache"]);
  });

  test("a folder is a table of contents", () => {
    const files = new Map(Array.from({ length: 17 }, (_, i) => [`src/keys/verb-${i}.ts`, []] as const));
    expect(violations(files)).toEqual(["src/keys has 17 entries, more than 16: make rooms in it"]);
  });
});

test("ARCHITECTURE.md has every room of src/ on a floor, and imports lead to a lower one", async () => {
  const text = await Bun.file(join(ROOT, "ARCHITECTURE.md")).text();
  const floors = new Map<string, number>();
  let floor = Number.NaN;
  for (const [, number = "", room = ""] of text.matchAll(/^\| ?(\d*) ?\| `(src\/[\w.-]+)\/?` \|/gm)) {
    if (number !== "") floor = Number(number);
    floors.set(room, floor);
  }
  expect([floors.size, Math.min(...floors.values()), Math.max(...floors.values())]).toEqual([14, 0, 8]);

  // The roots of the other threads are in the row of start.ts.
  const roomOf = (file: string): string =>
    file
      .replace(/^src\/(console-)?thread\.ts$/, "src/start.ts")
      .split("/")
      .slice(0, 2)
      .join("/");
  const arrows = new Set<string>();
  for (const [file, specifiers] of await importsOf(ROOT))
    for (const imported of specifiers.map((specifier) => pathOf(file, specifier) ?? ""))
      if (file.startsWith("src/") && imported.startsWith("src/")) arrows.add(`${roomOf(file)} ${roomOf(imported)}`);
  const leadsDown = (arrow: string): boolean => {
    const [from = "", to = ""] = arrow.split(" ");
    return from === to || (floors.get(from) ?? Number.NaN) > (floors.get(to) ?? Number.NaN);
  };
  expect(arrows.size).toBeGreaterThan(40);
  expect([...arrows].filter((arrow) => !leadsDown(arrow))).toEqual([]);
});
