import { countOf } from "../../base/text/text.ts";
import type { Grain } from "../../domain/usage/grains.ts";
import { LATENCY_BOUNDS_MS, quantileMs, REFUSALS, type Usage, type UsageRefusal } from "../../domain/usage/usage.ts";
import type { AllUsageReport, KeyUsageReport, UsageOfOneKey, UsageReport } from "../../keys/queries/usage.ts";
import { formatMinute, formatNumber, formatTime } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";
import { bar } from "./bars.ts";

// Usage as bars and tables for people, and as JSON and CSV for programs.

const REFUSAL_WORDS: Readonly<Record<UsageRefusal, string>> = {
  minute_quota: "minute quota used up",
  day_quota: "day quota used up",
  banned: "banned",
  scope: "scope missing",
  no_key: "no valid key",
  address_quota: "too many without a key",
};

function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms >= (LATENCY_BOUNDS_MS.at(-1) as number)) return `> ${ms / 1000} s`;
  return ms >= 1000
    ? `${(ms / 1000).toPrecision(2)} s`
    : `${ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(2))} ms`;
}

const formatShare = (part: number, of: number): string => {
  if (part === 0) return "";
  const percent = (100 * part) / of;
  return percent < 0.1 ? "< 0.1%" : `${percent.toFixed(1)}%`;
};

/** The outcomes of requests in a sentence. */
function sentence(usage: Usage, fromMs: number): string {
  if (usage.requests === 0) return `No requests since ${formatMinute(fromMs)}.`;
  const reasons = REFUSALS.filter((refusal) => usage.refused[refusal] > 0)
    .map((refusal) => `${formatNumber(usage.refused[refusal])} ${REFUSAL_WORDS[refusal]}`)
    .join(", ");
  const parts = [
    `${formatNumber(usage.passed)} passed`,
    ...(usage.clientErrors > 0 ? [countOf(usage.clientErrors, "client error")] : []),
    ...(usage.refusedInAll > 0 ? [`${formatNumber(usage.refusedInAll)} refused (${reasons})`] : []),
    ...(usage.failed > 0 ? [`${formatNumber(usage.failed)} failed`] : []),
  ];
  const [p50, p99] = [quantileMs(usage.latency, 0.5), quantileMs(usage.latency, 0.99)];
  const latency = p50 === undefined ? "" : `; p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`;
  return `${countOf(usage.requests, "request")} since ${formatMinute(fromMs)}: ${parts.join(", ")}${latency}.`;
}

const formatStart = (ms: number, grain: Grain): string =>
  grain === "day" ? formatMinute(ms).slice(0, "2027-01-31".length) : formatMinute(ms);

/** The width of the text in a pipe. */
const WIDTH = 100;
const BAR = 3;

const BUCKET_COLUMNS: readonly Column[] = [
  { title: "TIME" },
  { title: "REQUESTS", align: "right" },
  { title: "REFUSED", align: "right", rank: 1 },
  { title: "FAILED", align: "right", rank: 2 },
  { title: "P50", align: "right", rank: 4 },
  { title: "P99", align: "right", rank: 3 },
];

/** A line for each minute, hour or day, with a bar in the rest of the line. */
export function textOfKey({ key, ...report }: KeyUsageReport, width = WIDTH): string {
  const { grain, fromMs, buckets, sum } = report;
  const title = `${key.id}: ${sentence(sum, fromMs)}`;
  if (sum.requests === 0) return title;
  const rows = buckets.map(({ startedAtMs, usage }) => [
    formatStart(startedAtMs, grain),
    formatNumber(usage.requests),
    formatShare(usage.refusedInAll, usage.requests),
    usage.failed === 0 ? "" : formatNumber(usage.failed),
    formatMs(quantileMs(usage.latency, 0.5)),
    formatMs(quantileMs(usage.latency, 0.99)),
  ]);
  // A bar of a few characters is worth more than an optional column.
  const lines = table(BUCKET_COLUMNS, rows, Math.max(1, width - 12)).split("\n");
  const used = Math.max(...lines.map((line) => Bun.stringWidth(line)));
  const room = width - used - 2;
  const most = Math.max(...buckets.map(({ usage }) => usage.requests));
  const drawn = buckets.map(({ usage }, i) => {
    const line = (lines[i + 1] as string).padEnd(used);
    return room < BAR ? line.trimEnd() : `${line}  ${bar(usage, most, room)}`.trimEnd();
  });
  return [title, "", lines[0], ...drawn].join("\n");
}

const KEY_COLUMNS: readonly Column[] = [
  { title: "ID" },
  { title: "NAME", shrinksTo: 12, rank: 1 },
  { title: "REQUESTS", align: "right" },
  { title: "PASSED", align: "right", rank: 5 },
  { title: "CLIENT ERRORS", align: "right", rank: 6 },
  { title: "REFUSED", align: "right", rank: 2 },
  { title: "FAILED", align: "right", rank: 3 },
  { title: "P50", align: "right", rank: 4 },
  { title: "P99", align: "right", rank: 4 },
];

const nameOf = ({ key }: UsageOfOneKey): string => key?.name ?? "(deleted)";

export function textOfAll({ keys, fromMs, sum }: AllUsageReport, width: number | undefined): string {
  if (keys.length === 0) return sentence(sum, fromMs);
  const rows = keys.map((each) => [
    each.keyId,
    nameOf(each),
    formatNumber(each.usage.requests),
    formatNumber(each.usage.passed),
    formatNumber(each.usage.clientErrors),
    formatShare(each.usage.refusedInAll, each.usage.requests),
    each.usage.failed === 0 ? "" : formatNumber(each.usage.failed),
    formatMs(quantileMs(each.usage.latency, 0.5)),
    formatMs(quantileMs(each.usage.latency, 0.99)),
  ]);
  return [sentence(sum, fromMs), "", table(KEY_COLUMNS, rows, width)].join("\n");
}

// For programs

const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Number(ms.toPrecision(3)));

const jsonOfUsage = (usage: Usage) => ({
  requests: usage.requests,
  passed: usage.passed,
  clientErrors: usage.clientErrors,
  refused: usage.refusedInAll,
  refusedBy: {
    minuteQuota: usage.refused.minute_quota,
    dayQuota: usage.refused.day_quota,
    ban: usage.refused.banned,
    scope: usage.refused.scope,
    noKey: usage.refused.no_key,
    addressQuota: usage.refused.address_quota,
  },
  failed: usage.failed,
  p50Ms: rounded(quantileMs(usage.latency, 0.5)),
  p99Ms: rounded(quantileMs(usage.latency, 0.99)),
  latency: usage.latency.map((requests, i) => ({ toMs: LATENCY_BOUNDS_MS[i] ?? null, requests })),
});

const jsonOfReport = ({ grain, fromMs, buckets, sum }: UsageReport) => ({
  by: grain,
  since: formatTime(fromMs),
  total: jsonOfUsage(sum),
  series: buckets.map(({ startedAtMs, usage }) => ({ start: formatTime(startedAtMs), ...jsonOfUsage(usage) })),
});

export const jsonOfKeyUsage = ({ key, ...report }: KeyUsageReport) => ({
  id: key.id,
  name: key.name,
  ...jsonOfReport(report),
});

export const jsonOfAll = ({ keys, ...report }: AllUsageReport) => ({
  ...jsonOfReport(report),
  keys: keys.map(({ keyId, key, usage }) => ({ id: keyId, name: key?.name ?? null, ...jsonOfUsage(usage) })),
});

const CSV_VALUES: Readonly<Record<string, (usage: Usage) => number | null>> = {
  requests: ({ requests }) => requests,
  passed: ({ passed }) => passed,
  client_errors: ({ clientErrors }) => clientErrors,
  refused: ({ refusedInAll }) => refusedInAll,
  ...Object.fromEntries(REFUSALS.map((refusal) => [`refused_${refusal}`, (usage: Usage) => usage.refused[refusal]])),
  failed: ({ failed }) => failed,
  p50_ms: ({ latency }) => rounded(quantileMs(latency, 0.5)),
  p99_ms: ({ latency }) => rounded(quantileMs(latency, 0.99)),
};

const csvValuesOf = (usage: Usage) => Object.values(CSV_VALUES).map((valueIn) => valueIn(usage));

/** RFC 4180. An apostrophe keeps a spreadsheet from taking a text for a formula. */
function csvField(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csv = (head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string =>
  [head, ...rows].map((values) => values.map(csvField).join(",")).join("\r\n");

export const csvOfKey = ({ buckets }: KeyUsageReport): string =>
  csv(
    ["start", ...Object.keys(CSV_VALUES)],
    buckets.map(({ startedAtMs, usage }) => [formatTime(startedAtMs), ...csvValuesOf(usage)]),
  );

export const csvOfAll = ({ keys }: AllUsageReport): string =>
  csv(
    ["id", "name", ...Object.keys(CSV_VALUES)],
    keys.map((each) => [each.keyId, nameOf(each), ...csvValuesOf(each.usage)]),
  );
