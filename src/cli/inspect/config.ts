import type { Command } from "commander";
import { wordingOf } from "../../base/text/misspelling.ts";
import { type SettingInForce, settingsInForce } from "../../config.ts";
import { misspeltSettings, readEnvFile } from "../arguments/env-file.ts";
import type { JsonOption } from "../arguments/options.ts";
import { note, print, printJson, terminalWidth } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

const EXIT_INVALID = 1;

export function addConfig(program: Command): void {
  program
    .command("config")
    .description("Show every setting, its value in force, and where it comes from. Passwords are not shown.")
    .action(showConfig);
}

function showConfig({ json }: JsonOption): void {
  const settings = settingsInForce(process.env, readEnvFile());
  const misspelt = misspeltSettings();
  const invalid = settings.filter(({ mistake }) => mistake !== undefined);
  if (json) {
    const values = settings.map(({ name, shown, source, mistake }) => ({
      name,
      value: shown ?? null,
      source,
      ...(mistake === undefined ? {} : { mistake: `${name} ${mistake}` }),
    }));
    printJson({ settings: values, misspelt });
  } else {
    print(table(COLUMNS, settings, terminalWidth()));
    for (const { name, mistake } of invalid) note(`animal-store: ${name} ${mistake}`);
    warnOfMisspelt();
  }
  if (invalid.length > 0) process.exitCode = EXIT_INVALID;
}

const COLUMNS: readonly Column<SettingInForce>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "VALUE", shrinksTo: 20, text: valueText },
  { title: "FROM", text: ({ source }) => source },
];

function valueText({ shown, mistake }: SettingInForce): string {
  if (mistake === undefined) return shown ?? "-";
  return shown === undefined ? "invalid" : `invalid: ${shown}`;
}

/** Warns on standard error, so that the output of the command stays clean. */
export function warnOfMisspelt(): void {
  for (const { source, ...misspelling } of misspeltSettings())
    note(
      `animal-store: warning: ${wordingOf(misspelling)} (in ${source === ".env" ? "the file .env" : "the environment"})`,
    );
}
