#!/usr/bin/env node
// Runs the program on Bun, which npm installs with the package: only Node needs to be there already.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const bun = join(bunFolder(), "bin", "bun.exe");
const ownFile = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
/** What lies in the current folder must not change what is run. */
const OPTIONS = [
  `--config=${ownFile("bin/bunfig.toml")}`,
  `--tsconfig-override=${ownFile("tsconfig.json")}`,
  "--no-env-file",
  "--no-install",
];
const child = spawn(bun, [...OPTIONS, ownFile("src/cli/main.ts"), ...process.argv.slice(2)], { stdio: "inherit" });

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

function bunFolder() {
  try {
    return dirname(createRequire(import.meta.url).resolve("bun/package.json"));
  } catch {
    return fail("Bun is not installed");
  }
}

function fail(reason) {
  console.error(`animal-store: cannot start: ${reason}. Run npm ci first.`);
  process.exit(1);
}
