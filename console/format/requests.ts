import { countOf } from "../../src/base/text/text.ts";
import type { RequestsView, RequestView } from "../../src/console/api/index.ts";
import type { StateLabel } from "./keys.ts";
import { calendarDay, clockTime } from "./time.ts";

// Kept requests in words.

const FIRST_FAILURE = 400;
const FIRST_OF_OURS = 500;

/** 200; 400 invalid_value; 503 service_unavailable */
export const outcomeLabel = ({ status, code }: Pick<RequestView, "status" | "code">): StateLabel => ({
  text: code === null ? String(status) : `${status} ${code}`,
  tone: status < FIRST_FAILURE ? "good" : status < FIRST_OF_OURS ? "warning" : "problem",
});

export const FILTERED_STATUSES: readonly { readonly value: string; readonly label: string }[] = [
  { value: "2xx", label: "2xx successful" },
  { value: "4xx", label: "4xx client errors, refusals" },
  { value: "5xx", label: "5xx failed" },
  ...["400", "403", "404", "409", "412", "429"].map((value) => ({ value, label: value })),
];

type Covered = Pick<RequestsView, "sinceMs" | "kept" | "leftOut">;

/** Since 12 Nov, 09:00: 310 requests are kept, 930 others were only counted. */
export function coverageText({ sinceMs, kept, leftOut }: Covered, nowMs: number, zone?: string): string {
  const since = `Since ${calendarDay(sinceMs, nowMs, zone)}, ${clockTime(sinceMs, zone)}`;
  const left = leftOut === 0 ? "" : `, ${countOf(leftOut, "other")} ${leftOut === 1 ? "was" : "were"} only counted`;
  return `${since}: ${countOf(kept, "request")} ${kept === 1 ? "is" : "are"} kept${left}.`;
}
