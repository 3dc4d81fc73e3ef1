import { type Command, Option } from "commander";
import { DAY_MS, HOUR_MS, systemClock } from "../../base/time/clock.ts";
import { GRAINS, type Grain } from "../../domain/usage/grains.ts";
import { type NotKept, usageOfAll, usageOfKey } from "../../keys/queries/usage.ts";
import { withStore } from "../arguments/context.ts";
import { type JsonOption, parseSince, SINCE_HELP } from "../arguments/options.ts";
import { print, printJson, terminalWidth } from "../terminal/print.ts";
import { failForKey } from "./refusals.ts";
import { csvOfAll, csvOfKey, jsonOfAll, jsonOfKeyUsage, textOfAll, textOfKey } from "./usage-views.ts";

interface UsageOptions extends JsonOption {
  readonly since: number;
  readonly by?: Grain;
  readonly csv?: true;
}

/** Parses --since as an age in milliseconds. */
function parseAge(text: string): number {
  const nowMs = systemClock.nowMs();
  return nowMs - parseSince(text, nowMs);
}

const addFormats = (command: Command): Command =>
  command
    .addOption(new Option("--since <when>", SINCE_HELP).argParser(parseAge).default(DAY_MS, "24h"))
    .addOption(new Option("--csv", "print CSV, for spreadsheets").conflicts("json"));

export function addKeyUsage(keys: Command): void {
  addFormats(keys.command("usage <id>"))
    .description(
      "Show what a key has asked for over time. Counts are a few seconds old.\n" +
        "They are kept by minute for 6 hours, by hour for 31 days and by day for 400 days.",
    )
    .addOption(new Option("--by <grain>", "minute, hour or day (default: what suits --since)").choices([...GRAINS]))
    .action(showUsageOfKey);
}

async function showUsageOfKey(idOrName: string, options: UsageOptions, command: Command): Promise<void> {
  const { since, by, json, csv } = options;
  await withStore(async ({ keys, usage }) => {
    const shown = await usageOfKey({ keys, usage, clock: systemClock }, idOrName, { sinceMs: since, grain: by });
    if (shown.kind === "refused")
      return shown.reason.kind === "not_kept" ? failForAge(shown.reason, command) : failForKey(shown.reason, idOrName);
    if (json) printJson(jsonOfKeyUsage(shown.value));
    else print(csv ? csvOfKey(shown.value) : textOfKey(shown.value, terminalWidth()));
  });
}

export function addUsage(program: Command): void {
  addFormats(program.command("usage"))
    .description("Show what all keys have asked for, the busiest first. Counts are a few seconds old.")
    .action(showUsage);
}

async function showUsage({ since, json, csv }: UsageOptions, command: Command): Promise<void> {
  await withStore(async ({ keys, usage }) => {
    const shown = await usageOfAll({ keys, usage, clock: systemClock }, { sinceMs: since });
    if (shown.kind === "refused") return failForAge(shown.reason, command);
    if (json) printJson(jsonOfAll(shown.value));
    else print(csv ? csvOfAll(shown.value) : textOfAll(shown.value, terminalWidth()));
  });
}

function failForAge({ grain, keptMs }: NotKept, command: Command): never {
  const kept = keptMs % DAY_MS === 0 ? `${keptMs / DAY_MS}d` : `${keptMs / HOUR_MS}h`;
  return command.error(
    grain === undefined || grain === "day"
      ? `error: usage is kept for ${kept}: give a --since of at most that`
      : `error: usage by ${grain} is kept for ${kept}: give a --since of at most that, or leave out --by ${grain}`,
  );
}
