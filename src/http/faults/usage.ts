import type { Admission } from "../../access/gate.ts";
import { DAY } from "../../domain/limits/window.ts";
import type { UsageRefusal } from "../../domain/usage/usage.ts";
import { FAULTS } from "./fault.ts";

const [LACKS_SCOPE] = FAULTS.insufficient_scope;

/** Why a request was refused, as usage is counted; undefined if it reached its operation, or the path has none. */
export function usageRefusal(admission: Admission, status: number): UsageRefusal | undefined {
  if (admission.kind === "pass") return status === LACKS_SCOPE ? "scope" : undefined;
  switch (admission.reason.kind) {
    case "exhausted":
      return admission.quotaStatus.shown.window.name === DAY.name ? "day_quota" : "minute_quota";
    case "banned":
      return "banned";
    case "address_exhausted":
      return "address_quota";
    default:
      return "no_key";
  }
}
