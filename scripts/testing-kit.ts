// Builds the client's testing kit from the service's own code, for any runtime. It takes the place of the module that
// only declares it. Usage: bun scripts/testing-kit.ts dist/testing.js

import { rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

const ROOT = join(import.meta.dir, "..");
const KIT = join(ROOT, "client/testing");
const BUN_ONLY = join(ROOT, "src/base/runtime");

/** Takes the kit's own file in place of each that needs Bun. */
const ownRuntime: BunPlugin = {
  name: "own-runtime",
  setup: (build) => {
    build.onResolve({ filter: /\/runtime\/[\w-]+\.ts$/ }, ({ path, importer }) =>
      resolve(dirname(importer), dirname(path)) === BUN_ONLY
        ? { path: join(KIT, "runtime", basename(path)) }
        : undefined,
    );
  },
};

/** The kit as one module without imports. */
async function bundleKit(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(KIT, "index.ts")],
    target: "browser",
    format: "esm",
    // Stack traces in it are to be read.
    minify: { syntax: true },
    plugins: [ownRuntime],
    // The service waits for a turn to see whether a connection has ended. There are none here.
    define: { setImmediate: "queueMicrotask" },
  });
  return (outputs[0] as Blob).text();
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (!file) throw new Error("Usage: bun scripts/testing-kit.ts FILE");
  await Bun.write(file, await bundleKit());
  // A map of the module that only declares the kit would mislead a debugger.
  rmSync(`${file}.map`, { force: true });
}
