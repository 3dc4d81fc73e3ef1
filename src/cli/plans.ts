import type { Command } from "commander";
import { PLANS } from "../domain/plan.ts";
import { count, print, printJson, table } from "./print.ts";

export function addPlans(program: Command): void {
  program
    .command("plans")
    .description("The plans and their quotas.")
    .option("--json", "print JSON, for scripts")
    .action(({ json }: { json?: true }) => {
      const plans = Object.entries(PLANS).map(([plan, quotas]) => ({
        plan,
        perMinute: quotas?.perMinute ?? null,
        perDay: quotas?.perDay ?? null,
      }));
      if (json) return printJson(plans);
      const shown = (quota: number | null): string => (quota === null ? "custom" : count(quota));
      print(
        table(
          ["PLAN", "PER MINUTE", "PER DAY"],
          plans.map(({ plan, perMinute, perDay }) => [plan, shown(perMinute), shown(perDay)]),
        ),
      );
    });
}
