import { countOf } from "../../base/text/text.ts";
import { figuresOf } from "../../domain/usage/figures.ts";
import type { Grain } from "../../domain/usage/grains.ts";
import { LATENCY_BOUNDS_MS, quantileMs, REFUSALS, type Usage, type UsageRefusal } from "../../domain/usage/usage.ts";
import type {
  AllUsageReport,
  KeyUsageReport,
  UsageBucket,
  UsageOfOneKey,
  UsageReport,
} from "../../keys/queries/usage.ts";
import { formatMinute, formatNumber, isoTime } from "../terminal/print.ts";
import { ALWAYS_SHOWN, type Column, table } from "../terminal/table.ts";
import { bar } from "./bars.ts";

// Usage as bars and tables for people, and as JSON and CSV for programs.

export const REFUSAL_WORDS: Readonly<Record<UsageRefusal, string>> = {
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

type UsageColumn = Column<{ readonly usage: Usage }>;

const figure = (title: string, rank: number, textOf: (usage: Usage) => string): UsageColumn => ({
  title,
  align: "right",
  rank,
  text: ({ usage }) => textOf(usage),
});

const REQUESTS = figure("REQUESTS", ALWAYS_SHOWN, ({ requests }) => formatNumber(requests));

/** The columns of what went wrong, and how long requests took. */
const QUALITY = [
  figure("REFUSED", 2, ({ refusedInAll, requests }) => formatShare(refusedInAll, requests)),
  figure("FAILED", 3, ({ failed }) => (failed ? formatNumber(failed) : "")),
  figure("P50", 5, ({ latency }) => formatMs(quantileMs(latency, 0.5))),
  figure("P99", 4, ({ latency }) => formatMs(quantileMs(latency, 0.99))),
];

/** A line for each minute, hour or day, with a bar in the rest of the line. */
export function textOfKey({ key, ...report }: KeyUsageReport, width = WIDTH): string {
  const { grain, fromMs, buckets, sum } = report;
  const title = `${key.id}: ${sentence(sum, fromMs)}`;
  if (sum.requests === 0) return title;
  const time: Column<UsageBucket> = { title: "TIME", text: ({ startedAtMs }) => formatStart(startedAtMs, grain) };
  // A bar of a few characters is worth more than an optional column.
  const lines = table([time, REQUESTS, ...QUALITY], buckets, Math.max(1, width - 12)).split("\n");
  const used = Math.max(...lines.map((line) => Bun.stringWidth(line)));
  const room = width - used - 2;
  const most = Math.max(...buckets.map(({ usage }) => usage.requests));
  const drawn = buckets.map(({ usage }, i) => {
    const line = (lines[i + 1] as string).padEnd(used);
    return room < BAR ? line.trimEnd() : `${line}  ${bar(usage, most, room)}`.trimEnd();
  });
  return [title, "", lines[0], ...drawn].join("\n");
}

const KEY_COLUMNS: readonly Column<UsageOfOneKey>[] = [
  { title: "ID", text: ({ keyId }) => keyId },
  { title: "NAME", shrinksTo: 12, rank: 1, text: nameOf },
  REQUESTS,
  figure("PASSED", 6, ({ passed }) => formatNumber(passed)),
  figure("CLIENT ERRORS", 7, ({ clientErrors }) => formatNumber(clientErrors)),
  ...QUALITY,
];

function nameOf({ key }: UsageOfOneKey): string {
  return key?.name ?? "(deleted)";
}

export function textOfAll({ keys, fromMs, sum }: AllUsageReport, width: number | undefined): string {
  const title = sentence(sum, fromMs);
  return keys.length === 0 ? title : `${title}\n\n${table(KEY_COLUMNS, keys, width)}`;
}

// For programs

const jsonOfUsage = (usage: Usage) => {
  const figures = figuresOf(usage);
  return {
    ...figures,
    p50Ms: figures.p50Ms ?? null,
    p99Ms: figures.p99Ms ?? null,
    latency: usage.latency.map((requests, i) => ({ toMs: LATENCY_BOUNDS_MS[i] ?? null, requests })),
  };
};

const jsonOfReport = ({ grain, fromMs, buckets, sum }: UsageReport) => ({
  by: grain,
  since: isoTime(fromMs),
  total: jsonOfUsage(sum),
  series: buckets.map(({ startedAtMs, usage }) => ({ start: isoTime(startedAtMs), ...jsonOfUsage(usage) })),
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

/** The value of each column. */
type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

const CSV_FIGURES: CsvColumns<{ readonly usage: Usage }> = {
  requests: ({ usage }) => usage.requests,
  passed: ({ usage }) => usage.passed,
  client_errors: ({ usage }) => usage.clientErrors,
  refused: ({ usage }) => usage.refusedInAll,
  ...Object.fromEntries(REFUSALS.map((reason) => [`refused_${reason}`, ({ usage }) => usage.refused[reason]])),
  failed: ({ usage }) => usage.failed,
  p50_ms: ({ usage }) => figuresOf(usage).p50Ms ?? null,
  p99_ms: ({ usage }) => figuresOf(usage).p99Ms ?? null,
};

/** RFC 4180. An apostrophe keeps a spreadsheet from taking a text for a formula. */
function csvField(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv<Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string {
  const lines = rows.map((row) => Object.values(columns).map((valueIn) => valueIn(row)));
  return [Object.keys(columns), ...lines].map((values) => values.map(csvField).join(",")).join("\r\n");
}

export const csvOfKey = ({ buckets }: KeyUsageReport): string =>
  csv({ start: ({ startedAtMs }) => isoTime(startedAtMs), ...CSV_FIGURES }, buckets);

export const csvOfAll = ({ keys }: AllUsageReport): string =>
  csv({ id: ({ keyId }) => keyId, name: nameOf, ...CSV_FIGURES }, keys);
