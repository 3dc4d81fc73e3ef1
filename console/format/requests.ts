import { countOf } from "../../src/base/text/text.ts";
import type { RequestsView, RequestView } from "../../src/console/api/index.ts";
import type { StateLabel } from "./keys.ts";
import { calendarDay, clockTime, localInput } from "./time.ts";

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

/** Times are in the address in UTC, to the minute, so that a link means the same everywhere. */
export function timeInAddress(localText: string): string | null {
  const ms = Date.parse(localText);
  return Number.isNaN(ms) ? null : `${new Date(ms).toISOString().slice(0, "2027-01-31T09:30".length)}Z`;
}

/** Undefined unless it is a time. */
export function timeOfAddress(text: string | null): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) || ms < 0 ? undefined : ms;
}

/** The value of an input for the time in an address. */
export function inputOfAddress(text: string | null): string {
  const ms = timeOfAddress(text);
  return ms === undefined ? "" : localInput(ms);
}

type Covered = Pick<RequestsView, "sinceMs" | "kept" | "leftOut">;

/** Since 12 Nov, 09:00: 310 requests are kept, 930 others were only counted. */
export function coverageText({ sinceMs, kept, leftOut }: Covered, nowMs: number, zone?: string): string {
  const since = `Since ${calendarDay(sinceMs, nowMs, zone)}, ${clockTime(sinceMs, zone)}`;
  const left = leftOut === 0 ? "" : `, ${countOf(leftOut, "other")} ${leftOut === 1 ? "was" : "were"} only counted`;
  return `${since}: ${countOf(kept, "request")} ${kept === 1 ? "is" : "are"} kept${left}.`;
}
