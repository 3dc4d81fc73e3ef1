import { type Command, InvalidArgumentError } from "commander";
import { readConfig } from "../config.ts";
import { OperatorError } from "../domain/fault.ts";
import type { CopyProgress } from "../store/copy.ts";
import type { DatabaseAddress } from "../store/open.ts";
import { count, print, printJson, table } from "./print.ts";

export function addCopy(program: Command): void {
  program
    .command("copy")
    .description("Move a store from SQLite to PostgreSQL. Stop the service first. After an interruption, run it again.")
    .option("--from <address>", "the store to copy, such as sqlite:data/animal-store.db (required)", parseAddress)
    .option("--to <address>", "an empty database, postgres://user:password@host/database (required)", parseAddress)
    .option("--json", "print JSON, for scripts")
    .action(copy);
}

function parseAddress(text: string): DatabaseAddress {
  const result = readConfig({ DATABASE_URL: text });
  if ("config" in result) return result.config.DATABASE_URL;
  throw new InvalidArgumentError("An address is sqlite: and a file, or postgres://user:password@host/database.");
}

async function copy(
  options: { from?: DatabaseAddress; to?: DatabaseAddress; json?: true },
  command: Command,
): Promise<void> {
  const { from, to, json } = options;
  if (!from) return command.error("error: required option '--from <address>' not specified");
  if (!to) return command.error("error: required option '--to <address>' not specified");
  if (from.kind !== "sqlite" || to.kind !== "postgres")
    throw new OperatorError("a store is copied from sqlite: to postgres://, and no other way");
  const { copyStore } = await import("../store/copy.ts");
  const copied = await copyStore(from.path, to.url, process.stderr.isTTY ? drawBar : () => {});
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  if (json) return printJson(copied);
  print(
    table(
      ["TABLE", "ROWS", "CHECKSUM"],
      copied.map((done) => [done.table, count(done.rows), done.checksum.slice(0, 16)]),
    ),
  );
  print("\nBoth databases hold the same. Set DATABASE_URL to the new one, and start the service.");
}

const BAR_CHARACTERS = 30;

function drawBar({ table: name, step, done, total }: CopyProgress): void {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "█".repeat(Math.round(share * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS, "░");
  process.stderr.write(
    `\r\x1b[K${name.padEnd(8)} ${step.padEnd(6)} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${count(done)} of ${count(total)}`,
  );
}
