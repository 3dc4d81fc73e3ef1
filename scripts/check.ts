import { spawn } from "bun";

// Runs all checks that need no test, beside each other. Of those that pass, nothing is shown.

const CHECKS = [
  "tsc",
  "biome ci --error-on-warnings",
  "tsc --project console",
  "tsc --project client",
  "bun scripts/rooms.ts",
  "npm run --silent lint:openapi",
];

/** Returns false, and shows what it printed, if it fails. */
async function passes(command: string): Promise<boolean> {
  const child = spawn(["sh", "-c", `${command} 2>&1`], { stdin: "ignore", stdout: "pipe" });
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (exitCode !== 0) console.error(`${command}:\n${output}`);
  return exitCode === 0;
}

const results = await Promise.all(CHECKS.map(passes));
const failed = CHECKS.filter((_, i) => !results[i]);
console.error(failed.length === 0 ? `${CHECKS.length} checks passed.` : `Failed: ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
