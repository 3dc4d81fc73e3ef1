import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SRC = join(import.meta.dir, "../../src");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** The modules of the runtime and of packages that a script loads before its first line runs. */
function loadedBy(script: string): string[] {
  const ours = new Set<string>();
  const others = new Set<string>();
  const visit = (path: string): void => {
    if (ours.has(path) || !path.endsWith(".ts") || !existsSync(path)) return;
    ours.add(path);
    for (const { path: imported, kind } of transpiler.scanImports(readFileSync(path, "utf8")))
      if (kind !== "import-statement") continue;
      else if (imported.startsWith(".")) visit(join(dirname(path), imported));
      else others.add(imported);
  };
  visit(join(SRC, script));
  return [...others].sort();
}

// Each of the others takes milliseconds, which every start or every thread would pay: node:crypto and node:zlib bring
// streams with them. What needs one loads it then.
test.each([
  ["cli/main.ts", ["node:fs"]],
  ["cli/serve.ts", ["bun:ffi", "node:fs", "node:os", "node:path"]],
  ["thread.ts", ["bun:ffi", "node:fs"]],
  ["store/sqlite/writer/writer-thread.ts", ["bun:ffi", "bun:sqlite", "node:fs"]],
])("%s loads no module of the runtime that a start can do without", (script, expected) => {
  expect(loadedBy(script)).toEqual(expected);
});
