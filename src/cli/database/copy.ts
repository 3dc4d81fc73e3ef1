import type { Command } from "commander";
import { Mistake } from "../../base/mistake.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { type Sentences, sentenceFor } from "../../base/text/sentences.ts";
import type { Config } from "../../config.ts";
import { raiseTallies, readTallies } from "../../meter/open.ts";
import type { CopiedTable } from "../../store/copy/copy.ts";
import { type CopyRefusal, CopyRefused } from "../../store/copy/refusal.ts";
import { type DatabaseUrl, displayName, parseDatabaseUrl } from "../../store/urls/database-url.ts";
import { authorOf } from "../arguments/author.ts";
import { configFromEnvironment, readVariables } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { textOfFailure } from "../remedies.ts";
import { addYes, confirmation, type YesOption } from "../terminal/confirmation.ts";
import { helpFor } from "../terminal/help.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { formatNumber, note, print, printJson } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

function moreHelp(command: Command): string {
  const { sentence, items } = helpFor(command);
  return [
    "",
    sentence(
      "Addresses can also be given in the environment or in .env, where no other user of the machine sees a password:",
    ),
    items([
      ["COPY_FROM", "instead of --from; without both, DATABASE_URL"],
      ["COPY_TO", "instead of --to"],
    ]),
    sentence("With REDIS_URL, used quotas and bans are carried over into Redis, and from there into the new database."),
    "",
    "Examples:",
    `  COPY_TO=postgres://user:password@host/database ${ownCommand("copy")}`,
    `  ${ownCommand("copy")} --animals --from sqlite:/srv/production/animal-store.db --to sqlite:/srv/staging/animal-store.db`,
  ].join("\n");
}

export function addCopy(program: Command): void {
  addYes(program.command("copy"))
    .description(
      "Copy a store into another database, from or to SQLite or PostgreSQL. Stop the service first. If interrupted, run it again.",
    )
    .option("--from <url>", "the store to copy (default: COPY_FROM, or DATABASE_URL)")
    .option("--to <url>", "an empty database, or a file that does not exist (default: COPY_TO)")
    .option(
      "--animals",
      "only animals and categories, as they are at one moment, even while the source's service runs: for staging, whose own keys stay",
    )
    .option("--replace", "with --animals: replace the animals and categories that the target has")
    .addHelpText("after", ({ command }) => moreHelp(command))
    .action(copy);
}

interface CopyCommandOptions extends JsonOption, YesOption {
  readonly from?: string;
  readonly to?: string;
  readonly animals?: true;
  readonly replace?: true;
}

async function copy(options: CopyCommandOptions, command: Command): Promise<void> {
  const config = configFromEnvironment();
  const { COPY_FROM, COPY_TO } = readVariables();
  const from = databaseIn("--from", options.from, command) ??
    databaseIn("COPY_FROM", COPY_FROM || undefined, command) ?? { name: "DATABASE_URL", database: config.DATABASE_URL };
  const to = databaseIn("--to", options.to, command) ?? databaseIn("COPY_TO", COPY_TO || undefined, command);
  if (!to) return command.error("error: required option '--to <url>' not specified, and COPY_TO is not set");
  if (options.replace && !options.animals) return command.error("error: option '--replace' needs '--animals'");
  const isConfirmed = options.replace && confirmation(options, command);
  if (isConfirmed && !(await isConfirmed(lossIn(to.database, from.database)))) return;
  const stopped = "stopped at the end of a batch: run the same command again to continue";
  // The other commands start 2.5 ms sooner without it.
  const { copyStore } = await import("../../store/copy/copy.ts");
  const copied = await interruptible(stopped, (signal, progress) =>
    copyStore(from.database, to.database, {
      animalsOnly: options.animals && { mayReplace: options.replace === true },
      counters: config.REDIS_URL && countersIn(config.REDIS_URL),
      author: { ...authorOf(config), atMs: Date.now() },
      signal,
      onProgress: ({ table, step, done, total }) =>
        progress.report({ label: `${step} ${table}`, unit: "rows", total }, done),
      onCountersLeftBehind: () => note(COUNTERS_LEFT_BEHIND),
    }).catch((error: unknown) => {
      throw error instanceof CopyRefused ? new OperatorError(sentenceFor(error.reason, REFUSALS, { from, to })) : error;
    }),
  );
  if (!copied) return;
  if (options.json) return printJson(copied);
  print(table(COLUMNS, copied));
  print(
    options.animals
      ? `\n${displayName(to.database)} holds the same animals and categories. Its keys are its own.`
      : "\nBoth databases hold the same data. Set DATABASE_URL to the new one and start the service.",
  );
}

const lossIn = (to: DatabaseUrl, from: DatabaseUrl): string =>
  `All animals and categories in ${displayName(to)} will be replaced by those in ${displayName(from)}.`;

const COLUMNS: readonly Column<CopiedTable>[] = [
  { title: "TABLE", text: ({ table }) => table },
  { title: "ROWS", align: "right", text: ({ rows }) => formatNumber(rows) },
  { title: "CHECKSUM", text: ({ checksum }) => checksum.slice(0, 16) },
];

/** A database, and the option or setting that gave its address, which messages name. */
interface NamedDatabase {
  readonly name: "--from" | "COPY_FROM" | "DATABASE_URL" | "--to" | "COPY_TO";
  readonly database: DatabaseUrl;
}

/** Undefined: it is not given. Commander's own parsers would repeat an invalid value, and with it a password. */
function databaseIn(
  name: NamedDatabase["name"],
  text: string | undefined,
  command: Command,
): NamedDatabase | undefined {
  if (text === undefined) return undefined;
  const database = parseDatabaseUrl(text);
  if (!(database instanceof Mistake)) return { name, database };
  if (!name.startsWith("--")) throw new OperatorError(`${name} ${database.text}`);
  return command.error(`error: the argument of option '${name} <url>' is invalid: it ${database.text}`);
}

const countersIn = (redisUrl: NonNullable<Config["REDIS_URL"]>) => ({
  read: (keyIds: readonly string[]) => readTallies(redisUrl, keyIds),
  raise: (tallies: Parameters<typeof raiseTallies>[1]) => raiseTallies(redisUrl, tallies),
});

const COUNTERS_LEFT_BEHIND =
  "animal-store: requests are counted in Redis, and REDIS_URL is not set: used quotas and bans are not carried over into the database";

const REFUSALS: Sentences<CopyRefusal, Readonly<Record<"from" | "to", NamedDatabase>>> = {
  same_database: ({ database }) => `the source and the target are the same database, ${database}: name another target`,
  unusable: ({ side, problem }, { from, to }) =>
    side === "source"
      ? textOfFailure(problem, { setting: from.name, mayCreate: false })
      : textOfFailure(problem, { setting: to.name, mayCreate: true }),
  already_copied: () => "a copy into this database has already been completed: serve from it, or use an empty database",
  not_empty: () => "the target database is not empty: use a new one",
  whole_copy_unfinished: () =>
    "a copy of a whole store into this database was not finished: finish it, or use a new one",
  has_orders: () =>
    `the target has orders, which refer to its animals: use a new database, which ${ownCommand("migrate")} creates`,
  has_animals: ({ table }) =>
    `the target has ${table} already: use a new database, or give --replace to replace its animals and categories`,
  differs: ({ table, sourceRows, targetRows }) =>
    `the table ${table} has ${formatNumber(sourceRows)} rows in the source and ${formatNumber(targetRows)} in the target, which are not the same: empty the target and copy again`,
  interrupted: ({ reason }) => `the copy was interrupted: ${reason}. Run it again to continue`,
};
