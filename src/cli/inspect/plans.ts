import type { Command } from "commander";
import { PLANS } from "../../domain/keys/plan.ts";
import { JSON_OPTION, type JsonOption } from "../arguments/options.ts";
import { formatNumber, print, printJson } from "../terminal/print.ts";
import { table } from "../terminal/table.ts";

export function addPlans(program: Command): void {
  program
    .command("plans")
    .description("Show the plans and their quotas.")
    .option(...JSON_OPTION)
    .action(showPlans);
}

function showPlans({ json }: JsonOption): void {
  const plans = Object.entries(PLANS).map(([plan, quotas]) => ({
    plan,
    perMinute: quotas?.perMinute ?? null,
    perDay: quotas?.perDay ?? null,
  }));
  if (json) {
    printJson(plans);
    return;
  }
  const shown = (quota: number | null): string => (quota === null ? "custom" : formatNumber(quota));
  print(
    table(
      ["PLAN", { title: "PER MINUTE", align: "right" }, { title: "PER DAY", align: "right" }],
      plans.map(({ plan, perMinute, perDay }) => [plan, shown(perMinute), shown(perDay)]),
    ),
  );
}
