import type { Command } from "commander";
import { systemClock } from "../../base/time/clock.ts";
import { type Instance, type InstanceState, stateOfInstance } from "../../domain/usage/instance.ts";
import { withStore } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { formatNumber, formatTime, isoTime, print, printJson, terminalWidth, timeOrNull } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

export function addInstances(program: Command): void {
  program
    .command("instances")
    .description(
      "Show the instances that serve this database, and those that did within 7 days.\n" +
        "An instance is lost if it has not reported for 30 seconds: it was killed, or cannot reach the database.",
    )
    .action(showInstances);
}

async function showInstances({ json }: JsonOption): Promise<void> {
  await withStore(async ({ instances }) => {
    const nowMs = systemClock.nowMs();
    const all = (await instances.list()).map((instance) => ({ ...instance, state: stateOfInstance(instance, nowMs) }));
    if (json) return printJson(all.map(jsonOf));
    if (all.length === 0) return print("No instance has reported yet: each does so 2 seconds after its start.");
    print(`${summary(all)}\n\n${table(COLUMNS, all, terminalWidth())}`);
  });
}

type Shown = Instance & { readonly state: InstanceState };

function summary(all: readonly Shown[]): string {
  const count = (state: InstanceState): number => all.filter((each) => each.state === state).length;
  return (["alive", "lost", "stopped"] as const)
    .filter((state) => state === "alive" || count(state) > 0)
    .map((state) => `${formatNumber(count(state))} ${state}`)
    .join(", ");
}

const TONES = { alive: "good", lost: "problem", stopped: "quiet" } as const;

const COLUMNS: readonly Column<Shown>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "STATE", text: ({ state }) => state, tone: ({ state }) => TONES[state] },
  { title: "HEALTH", rank: 1, text: ({ state, health }) => (state === "alive" ? health : "") },
  { title: "HOST", shrinksTo: 12, rank: 1, text: ({ host }) => host },
  { title: "VERSION", rank: 2, text: ({ version }) => version },
  { title: "ENVIRONMENT", rank: 4, text: ({ environment }) => environment },
  { title: "THREADS", align: "right", rank: 4, text: ({ threads }) => formatNumber(threads) },
  { title: "STARTED", rank: 3, text: ({ startedAtMs }) => formatTime(startedAtMs) },
  { title: "LAST SEEN", rank: 2, text: ({ seenAtMs }) => formatTime(seenAtMs) },
];

const jsonOf = (instance: Shown) => ({
  id: instance.id,
  state: instance.state,
  health: instance.health,
  host: instance.host,
  version: instance.version,
  environment: instance.environment,
  threads: instance.threads,
  startedAt: isoTime(instance.startedAtMs),
  seenAt: isoTime(instance.seenAtMs),
  stoppedAt: timeOrNull(instance.stoppedAtMs),
});
