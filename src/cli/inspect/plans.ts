import type { Command } from "commander";
import { PLANS } from "../../domain/keys/plan.ts";
import type { JsonOption } from "../arguments/options.ts";
import { formatNumber, print, printJson } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

export function addPlans(program: Command): void {
  program.command("plans").description("Show the plans and their quotas.").action(showPlans);
}

const CUSTOM = { perMinute: null, perDay: null };

function showPlans({ json }: JsonOption): void {
  const plans = Object.entries(PLANS).map(([plan, quotas]) => ({ plan, ...(quotas ?? CUSTOM) }));
  if (json) printJson(plans);
  else print(table(COLUMNS, plans));
}

const shown = (quota: number | null): string => (quota === null ? "custom" : formatNumber(quota));

const COLUMNS: readonly Column<{ plan: string; perMinute: number | null; perDay: number | null }>[] = [
  { title: "PLAN", text: ({ plan }) => plan },
  { title: "PER MINUTE", align: "right", text: ({ perMinute }) => shown(perMinute) },
  { title: "PER DAY", align: "right", text: ({ perDay }) => shown(perDay) },
];
