import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellQuoted } from "./terminal/print.ts";

/** The command line that runs another command of this program, as it can be pasted into a shell. */
export const ownCommand = (command: string): string => `${programName()} ${command}`;

export function programName({ execPath, cwd, onPath } = surroundings()): string {
  const isExecutable = execPath.endsWith("/animal-store");
  // An executable in a checkout is in its folder build/.
  const checkout = isExecutable ? dirname(dirname(execPath)) : join(import.meta.dir, "../..");
  const script = join(checkout, "bin/animal-store.js");
  const ways = [execPath, script, join(checkout, "build/animal-store")];
  // npx adds folders of its own to the PATH of what it runs: the shell does not have them.
  const isOnPath = onPath !== null && !onPath.includes("/node_modules/.bin/") && leadsTo(onPath, ways);
  if (isOnPath) return "animal-store";
  const isInCheckout = cwd === checkout && existsSync(script);
  return isExecutable && !isInCheckout ? shellQuoted(execPath) : "npx animal-store";
}

/** With all files open, a service that has just started could not tell, and would end while it prints its banner. */
function leadsTo(path: string, targets: readonly string[]): boolean {
  try {
    return targets.includes(realpathSync(path));
  } catch {
    return false;
  }
}

const surroundings = () => ({
  execPath: process.execPath,
  cwd: process.cwd(),
  /** The program that a shell would run, if there is one. */
  onPath: Bun.which("animal-store"),
});
