import type { Command } from "commander";
import { DAY_MS } from "../domain/clock.ts";
import { OperatorError } from "../domain/operator-error.ts";
import type { Quotas } from "../domain/plan.ts";
import { suggestKeyId } from "../keys/find.ts";
import type { IssueRefusal } from "../keys/issue.ts";
import { OVERLAP_MAX_MS, type RotationRefusal } from "../keys/rotate.ts";
import type { KeyStore } from "../store/store.ts";
import { didYouMean, QUOTA_RULE } from "./options.ts";

// Refusals of the use-cases, in the words of the command line. A value that an option can never have is misuse, which
// commander reports; what depends on the plan or on the key is an OperatorError.

const OPTION_OF: Record<keyof Quotas, string> = { perMinute: "--per-minute", perDay: "--per-day" };

export function failToIssue(reason: IssueRefusal, command: Command): never {
  switch (reason.kind) {
    case "invalid_name":
      return command.error(`error: --name ${reason.mistake.text}`);
    case "expiry_not_in_future":
      return command.error("error: --expires is in the past");
    case "invalid_quotas":
      return command.error(`error: ${reason.invalid.map((name) => OPTION_OF[name]).join(" and ")} ${QUOTA_RULE}`);
    case "plan_has_fixed_quotas":
      throw new OperatorError(
        `the ${reason.plan} plan has fixed quotas: leave out --per-minute and --per-day, or use --plan enterprise`,
      );
    case "plan_needs_quotas":
      throw new OperatorError(
        `the ${reason.plan} plan has no fixed quotas: set ${reason.missing.map((name) => OPTION_OF[name]).join(" and ")}`,
      );
    case "minute_exceeds_day":
      throw new OperatorError("--per-minute must not exceed --per-day");
  }
}

export async function failToRotate(
  reason: RotationRefusal,
  id: string,
  keys: KeyStore,
  command: Command,
): Promise<never> {
  switch (reason.kind) {
    case "no_such_key":
      return failToFind(id, keys);
    case "invalid_overlap":
      return command.error(`error: --overlap must be at most ${OVERLAP_MAX_MS / DAY_MS}d`);
    case "not_active":
      throw new OperatorError(`key ${id} is ${reason.state}: issue a new one with animal-store keys create`);
  }
}

export async function failToFind(id: string, keys: KeyStore): Promise<never> {
  const hint = didYouMean(await suggestKeyId(keys, id));
  throw new OperatorError(`there is no key ${JSON.stringify(id)}.${hint} To see all keys: animal-store keys list`);
}
