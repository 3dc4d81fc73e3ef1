import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import type { JsonOption } from "../arguments/options.ts";
import { print, printJson } from "../terminal/print.ts";

export function addVersion(program: Command): void {
  program
    .command("version")
    .description("Print the version of this program, and what it runs on. It needs neither settings nor a database.")
    .action(showVersion);
}

function showVersion({ json }: JsonOption): void {
  const { version } = manifest;
  const [bun, platform] = [Bun.version, `${process.platform}-${process.arch}`];
  if (json) printJson({ version, bun, platform });
  else print(`animal-store ${version} (Bun ${bun}, ${platform})`);
}
