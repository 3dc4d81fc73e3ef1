import type { Command } from "commander";
import { yieldProcessor } from "../../base/system/priority.ts";
import { wordingOf } from "../../base/text/misspelling.ts";
import { harmless, plural } from "../../base/text/text.ts";
import {
  type Check,
  type CheckResult,
  type Checkup,
  check,
  type Finding,
  ok,
  okUnless,
  runChecks,
  warning,
} from "../../domain/checkup/checkup.ts";
import { operatorKeyFile } from "../../keys/operator-key.ts";
import { openRedisCheckup } from "../../meter/open.ts";
import { openCheckup } from "../../store/open.ts";
import { isEmbedded } from "../../store/urls/database-url.ts";
import { readSettings } from "../arguments/context.ts";
import { misspeltSettings } from "../arguments/env-file.ts";
import type { JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { textOfRemedy } from "../remedies.ts";
import { print, printJson } from "../terminal/print.ts";
import { addressChecks } from "./address-checks.ts";

const EXIT_PROBLEM = 1;

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description(
      "Check settings, public address, database, clock and Redis thoroughly, even while the service is running. Changes nothing.",
    )
    .action(doctor);
}

async function doctor({ json }: JsonOption): Promise<void> {
  yieldProcessor();
  const results: CheckResult[] = [];
  for await (const result of checkEverything()) {
    results.push(result);
    if (!json) print(lineOf(result));
  }
  const count = (kind: Finding["kind"]) => results.filter(({ finding }) => finding.kind === kind).length;
  const problems = count("problem");
  if (json) printJson(results.map(jsonOf));
  else print(`\n${summary(problems, count("warning"))} found in ${results.length} checks.`);
  if (problems > 0) process.exitCode = EXIT_PROBLEM;
}

const summary = (problems: number, warnings: number): string =>
  `${problems || "No"} ${plural(problems, "problem")}${warnings === 0 ? "" : ` and ${warnings} ${plural(warnings, "warning")}`}`;

async function* checkEverything(): AsyncGenerator<CheckResult> {
  const read = readSettings();
  yield* runChecks([settings("mistakes" in read ? read.mistakes : []), spelling]);
  if ("mistakes" in read) return;
  yield* runChecks(addressChecks(read.config));
  const { DATABASE_URL: database, DATABASE_CONNECTIONS: connections, REDIS_URL } = read.config;
  const otherFiles = isEmbedded(database) ? [operatorKeyFile(database.path)] : [];
  yield* resultsOf(await openCheckup(database, { connections, otherFiles }));
  if (REDIS_URL) yield* resultsOf(await openRedisCheckup(REDIS_URL));
}

async function* resultsOf(checkup: Checkup): AsyncGenerator<CheckResult> {
  try {
    yield* runChecks(checkup.checks);
  } finally {
    await checkup.close();
  }
}

const settings = (mistakes: readonly string[]): Check =>
  check("settings", () =>
    okUnless(
      mistakes.join("; ") || undefined,
      "valid",
      `correct them in the environment or in the file .env; ${ownCommand("serve --help")} lists all settings`,
    ),
  );

const spelling: Check = check("misspelt settings", () => {
  const misspelt = misspeltSettings();
  return misspelt.length === 0
    ? ok("none")
    : warning(misspelt.map(wordingOf).join(" "), "rename them in the environment or in the file .env, or remove them");
});

const NAME_WIDTH = 40;

function lineOf({ name, finding }: CheckResult): string {
  const line = `${finding.kind.padEnd(7)}  ${name.padEnd(NAME_WIDTH)}  ${harmless(finding.detail)}`;
  return finding.kind === "ok" ? line : `${line}\n         → ${harmless(remedyOf(finding))}`;
}

const jsonOf = ({ name, finding }: CheckResult) => ({
  check: name,
  result: finding.kind,
  detail: finding.detail,
  ...(finding.kind === "ok" ? {} : { remedy: remedyOf(finding) }),
});

const remedyOf = ({ remedy }: Exclude<Finding, { kind: "ok" }>): string =>
  typeof remedy === "string" ? remedy : textOfRemedy(remedy);
