import type { Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { refused } from "../../base/result.ts";
import type { KeyContext } from "../../keys/queries/context.ts";
import { type KeyFilter, type KeyList, listKeys } from "../../keys/queries/list.ts";
import { showKey } from "../../keys/queries/show.ts";
import { TRUE_STATES } from "../../keys/queries/use.ts";
import { withKeys } from "../arguments/context.ts";
import { type JsonOption, oneOf, parsePlan } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { formatNumber, note, print, printJson, terminalWidth, timeOrNull } from "../terminal/print.ts";
import { facts, table } from "../terminal/table.ts";
import { NEEDS_REDIS, valueFor } from "./refusals.ts";
import { factsOfShown, jsonOfShown } from "./show.ts";
import { jsonOfKey, KEY_COLUMNS } from "./views.ts";

// The commands that change nothing.

export function addList(keys: Command): void {
  keys
    .command("list")
    .description("List keys, oldest first. A terminal shows the columns that fit; a pipe and --json get everything.")
    .option(
      "--state <state>",
      `only keys that are ${TRUE_STATES.join(", ").replace(/, (\w+)$/, " or $1")}`,
      oneOf("states", TRUE_STATES),
    )
    .option("--plan <plan>", "only keys on this plan", parsePlan)
    .option("--search <text>", "only keys with this text in their name or id")
    .action(list);
}

async function list({ json, ...filter }: JsonOption & KeyFilter): Promise<void> {
  await withKeys(async (context) => {
    const { keys, total, areBansKnown } = await listWithOrWithoutBans(context, filter);
    const nowMs = context.clock.nowMs();
    if (json)
      return printJson(
        keys.map(({ key, state, bannedUntilMs }) => ({
          ...jsonOfKey(key, nowMs),
          state,
          ...(areBansKnown ? { bannedUntil: timeOrNull(bannedUntilMs) } : {}),
        })),
      );
    if (total === 0) return print(`There are no keys yet. To issue one: ${ownCommand("keys create")}`);
    if (keys.length > 0) print(table(KEY_COLUMNS, keys, terminalWidth()));
    // On standard error, so that the output is one key per line.
    if (Object.keys(filter).length > 0) note(`${formatNumber(keys.length)} of ${formatNumber(total)} keys`);
  });
}

/** Without Redis, everything but bans can be shown. */
async function listWithOrWithoutBans(context: KeyContext, filter: KeyFilter): Promise<KeyList> {
  try {
    const listed = valueFor("", await listKeys(context, filter));
    if (!listed.areBansKnown) note(`Bans are not shown: ${NEEDS_REDIS}.`);
    return listed;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const unknown = async () => refused({ kind: "counted_in_redis" } as const);
    const listed = await listKeys({ ...context, counters: unknown }, filter);
    if (listed.kind === "refused") throw error;
    note(`Bans are not shown: ${error.message}.`);
    return listed.value;
  }
}

export function addShow(keys: Command): void {
  keys
    .command("show <id>")
    .description("Show everything about a key. Counts are at most a second old, and the last use a few seconds.")
    .action(show);
}

async function show(idOrName: string, { json }: JsonOption): Promise<void> {
  await withKeys(async (context) => {
    const shown = valueFor(idOrName, await showKey(context, idOrName));
    const nowMs = context.clock.nowMs();
    if (json) printJson(jsonOfShown(shown, nowMs));
    else print(facts(factsOfShown(shown, nowMs)));
  });
}
