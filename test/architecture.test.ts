import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "./harness/folder.ts";

const ROOT = join(import.meta.dir, "..");
const BIOME = join(ROOT, "node_modules/.bin/biome");

/** What the linter objects to in these files, each of which imports what is listed, as `file imported`. */
async function restrictedImports(files: Record<string, readonly string[]>): Promise<string[]> {
  const folder = temporaryFolder();
  const config = await Bun.file(join(ROOT, "biome.json")).json();
  await Bun.write(join(folder, "biome.json"), JSON.stringify({ ...config, $schema: undefined, vcs: undefined }));
  for (const [file, imports] of Object.entries(files)) {
    const lines = imports.map((imported, i) => `export { it as it${i} } from "${imported}";\n`);
    await Bun.write(join(folder, file), lines.join(""));
  }
  const args = ["lint", "--max-diagnostics=none", "--reporter=github", "--only=style/noRestrictedImports"];
  const { stdout } = Bun.spawnSync([BIOME, ...args], { cwd: folder });
  const found = stdout.toString().matchAll(/file=([^,]+),line=(\d+)/g);
  return [...found]
    .map(([, path = "", line]) => [path.replace(/^.*?((client\/)?src\/)/, "$1"), Number(line)] as const)
    .map(([file, line]) => `${file} ${files[file]?.[line - 1]}`)
    .sort();
}

const pairs = (files: Record<string, readonly string[]>): string[] =>
  Object.entries(files)
    .flatMap(([file, imports]) => imports.map((imported) => `${file} ${imported}`))
    .sort();

describe("imports point down, and the linter says so", () => {
  test("what a room may not import", async () => {
    const forbidden = {
      "client/src/new.ts": ["../../src/domain/key.ts", "../test/shared-time.ts", "node:util", "bun", "pino"],
      "src/domain/new.ts": ["../store/store.ts", "../http/faults.ts"],
      "src/telemetry/new.ts": ["../store/store.ts", "../meter/meter.ts", "../config.ts"],
      "src/meter/new.ts": ["../store/store.ts", "../telemetry/log.ts", "../config.ts"],
      "src/meter/redis/new.ts": ["../../store/store.ts", "../../config.ts"],
      "src/store/new.ts": ["../meter/meter.ts", "../access/gate.ts", "./sqlite/store.ts"],
      "src/store/migrations/sqlite/new.ts": ["../../store.ts", "../../../domain/order.ts"],
      "src/store/sqlite/new.ts": ["../postgres/database.ts", "../open.ts", "../copy.ts", "../../meter/meter.ts"],
      "src/store/postgres/new.ts": ["../sqlite/database.ts", "../open.ts", "../copy.ts"],
      "src/access/new.ts": ["../meter/redis/meter.ts", "../meter/memory.ts", "../store/open.ts", "../keys/issue.ts"],
      "src/keys/new.ts": ["../access/gate.ts", "../http/faults.ts", "../cli/print.ts", "../store/open.ts"],
      "src/http/new.ts": ["../store/postgres/database.ts", "../meter/meter.ts", "../config.ts", "../keys/issue.ts"],
      "src/http/operations/new.ts": ["../../store/sqlite/store.ts", "../../start.ts", "../../telemetry/metrics.ts"],
      "src/config.ts": ["./start.ts", "./http/faults.ts", "./store/open.ts"],
      "src/start/new.ts": ["../config.ts", "../cli/print.ts", "../store/open.ts"],
      "src/start.ts": ["./cli/serve.ts"],
      "src/cli/new.ts": [
        "../http/routes.ts",
        "../access/gate.ts",
        "../store/sqlite/store.ts",
        "../meter/redis/client.ts",
      ],
    };
    expect(await restrictedImports(forbidden)).toEqual(pairs(forbidden));
  });

  test("what it may", async () => {
    const allowed = {
      "client/src/new.ts": ["./error.ts"],
      "src/domain/new.ts": ["./order.ts"],
      "src/telemetry/new.ts": ["../domain/lazy.ts"],
      "src/meter/redis/new.ts": ["../meter.ts", "../../domain/tally.ts"],
      "src/store/sqlite/new.ts": ["../rows.ts", "../migrations/sqlite/index.ts", "../../domain/order.ts"],
      "src/access/new.ts": ["../store/store.ts", "../meter/meter.ts", "../domain/key.ts"],
      "src/keys/new.ts": ["../store/store.ts", "../domain/key.ts"],
      "src/http/new.ts": ["../access/gate.ts", "../store/store.ts", "./faults.ts"],
      "src/http/operations/new.ts": ["../../domain/order.ts", "../faults.ts"],
      "src/start.ts": ["./store/open.ts", "./http/routes.ts"],
      "src/cli/new.ts": ["../keys/issue.ts", "../start.ts", "../config.ts"],
    };
    expect(await restrictedImports(allowed)).toEqual([]);
  });
});

/** The files below src/ as ARCHITECTURE.md draws them: a line has names with commas, and two spaces before its comment. */
function drawnFiles(text: string): string[] {
  const tree = /^```\nsrc\/\n(.*?)^```$/ms.exec(text)?.[1] ?? "";
  const files: string[] = [];
  const folders = ["src"];
  for (const line of tree.trimEnd().split("\n")) {
    const [, indent = "", names = ""] = /^( *)(.*?)(?: {2}.*)?$/.exec(line) ?? [];
    folders.length = indent.length / 2;
    for (const name of names.trim().split(", "))
      if (name.endsWith("/")) folders.push(name.slice(0, -1));
      else files.push([...folders, name].join("/"));
  }
  return files.sort();
}

test("the tree in ARCHITECTURE.md is the tree", async () => {
  const files = [...new Bun.Glob("src/**/*").scanSync({ cwd: ROOT })].filter((path) => !path.endsWith(".test.ts"));
  expect(drawnFiles(await Bun.file(join(ROOT, "ARCHITECTURE.md")).text())).toEqual(files.sort());
});

test("nothing is loose in src/ but config.ts, start.ts and what threads run", () => {
  const loose = [...new Bun.Glob("src/*").scanSync({ cwd: ROOT })].filter((path) => !path.endsWith(".test.ts"));
  expect(loose.sort()).toEqual(["src/config.ts", "src/console-thread.ts", "src/start.ts", "src/thread.ts"]);
});
