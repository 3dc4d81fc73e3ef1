import { type Command, Option } from "commander";
import { MINUTE_MS, SECOND_MS, systemClock } from "../../base/time/clock.ts";
import { LATENCY_BOUNDS_MS, quantileMs, REFUSALS, type Usage } from "../../domain/usage/usage.ts";
import { type AllUsageReport, type UsageOfOneKey, usageOfAll } from "../../keys/queries/usage.ts";
import type { Store } from "../../store/ports/store.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import type { JsonOption } from "../arguments/options.ts";
import { jsonOfAll, REFUSAL_WORDS } from "../keys/usage-views.ts";
import { formatNumber, formatTime, print, printJson, terminalWidth } from "../terminal/print.ts";
import { write } from "../terminal/stdout.ts";
import { type Column, table } from "../terminal/table.ts";

/** The span that rates are taken over: short enough to show what is going on, and long enough to have requests. */
const SPAN_MS = 10 * MINUTE_MS;
const REDRAWN_EVERY_MS = 2 * SECOND_MS;
/** In a pipe, where nobody knows how much fits. */
const ROWS_IN_PIPE = 50;

const ORDERS = { requests: ({ requests }: Usage) => requests, refused: ({ refusedInAll }: Usage) => refusedInAll };
type Order = keyof typeof ORDERS;

export function addTop(program: Command): void {
  const top = program
    .command("top")
    .description(
      "Show the busiest keys of the last 10 minutes, and why requests are refused, until Ctrl+C.\n" +
        "A terminal is redrawn every 2 seconds; a pipe and --json get it once. Counts are a few seconds old.",
    )
    .addOption(
      new Option("--by <order>", "what the first keys have most of").choices(Object.keys(ORDERS)).default("requests"),
    )
    .action(showTop);
  addExamples(top, [["top --by refused", "whose requests are refused most"]]);
}

async function showTop({ by, json }: JsonOption & { readonly by: Order }): Promise<void> {
  await withStore(async (store) => {
    if (json) return printJson(jsonOfAll(await readTop(store, by)));
    const isRedrawn = process.stdout.isTTY && process.env.TERM !== "dumb";
    if (!isRedrawn) return print(textOf(await readTop(store, by), ROWS_IN_PIPE));
    for (; ; await Bun.sleep(REDRAWN_EVERY_MS)) write(HOME + screenOf(await readTop(store, by)) + ERASE_BELOW);
  });
}

const HOME = "\x1b[H";
const ERASE_LINE = "\x1b[K";
const ERASE_BELOW = "\x1b[J";

async function readTop({ keys, usage }: Store, by: Order): Promise<AllUsageReport> {
  const report = await usageOfAll({ keys, usage, clock: systemClock }, { sinceMs: SPAN_MS });
  if (report.kind === "refused") throw new Error("usage is not kept for ten minutes");
  const most = ORDERS[by];
  return { ...report.value, keys: report.value.keys.toSorted((a, b) => most(b.usage) - most(a.usage)) };
}

/** Lines are written over those before them, so that nothing flickers; the last one is left free. */
function screenOf(report: AllUsageReport): string {
  const lines = textOf(report, process.stdout.rows)
    .split("\n")
    .slice(0, Math.max(1, process.stdout.rows - 1));
  return lines.map((line) => `${line}${ERASE_LINE}\n`).join("");
}

function textOf({ sum, keys }: AllUsageReport, rows: number): string {
  const { requests, clientErrors, refusedInAll, failed } = sum;
  const counts = [
    `${formatNumber(requests)} requests`,
    `${formatNumber(clientErrors)} client errors`,
    `${formatNumber(refusedInAll)} refused`,
    `${formatNumber(failed)} failed`,
  ];
  const head = `${formatTime(systemClock.nowMs())}  In 10 minutes: ${counts.join(", ")}`;
  const refusals = refusedInAll === 0 ? [] : [`Refused: ${reasonsOf(sum)}`];
  // A line that wraps would take the place of another one.
  const lines = [head, ...refusals].map((line) => line.slice(0, terminalWidth()));
  const shown = keys.length === 0 ? "No key was used." : table(COLUMNS, keys.slice(0, rows), terminalWidth());
  return [...lines, "", shown].join("\n");
}

/** "80 minute quota used up, 3 banned", the most frequent first. */
const reasonsOf = ({ refused }: Usage): string =>
  REFUSALS.filter((reason) => refused[reason] > 0)
    .sort((a, b) => refused[b] - refused[a])
    .map((reason) => `${formatNumber(refused[reason])} ${REFUSAL_WORDS[reason]}`)
    .join(", ");

const count = (value: number): string => (value === 0 ? "" : formatNumber(value));

function p99Of({ latency }: Usage): string {
  const ms = quantileMs(latency, 0.99);
  if (ms === undefined) return "";
  return ms >= (LATENCY_BOUNDS_MS.at(-1) as number) ? `> ${ms} ms` : `${Number(ms.toPrecision(2))} ms`;
}

const COLUMNS: readonly Column<UsageOfOneKey>[] = [
  { title: "KEY", shrinksTo: 12, text: ({ key, keyId }) => key?.name ?? `${keyId} (deleted)` },
  { title: "REQUESTS", align: "right", text: ({ usage }) => formatNumber(usage.requests) },
  { title: "CLIENT ERRORS", align: "right", rank: 3, text: ({ usage }) => count(usage.clientErrors) },
  {
    title: "REFUSED",
    align: "right",
    rank: 1,
    text: ({ usage }) => count(usage.refusedInAll),
    tone: ({ usage }) => (usage.refusedInAll > 0 ? "warning" : undefined),
  },
  {
    title: "FAILED",
    align: "right",
    rank: 2,
    text: ({ usage }) => count(usage.failed),
    tone: ({ usage }) => (usage.failed > 0 ? "problem" : undefined),
  },
  { title: "P99", align: "right", rank: 4, text: ({ usage }) => p99Of(usage) },
  { title: "REFUSED FOR", rank: 5, shrinksTo: 16, text: ({ usage }) => reasonsOf(usage) },
];
