// The sections of the report: the results as tables.

import type { Settings } from "../common/settings.ts";
import { lowerQuartile, median, spread, whole } from "../common/tools.ts";
import { type ContenderName, WORKLOADS } from "../common/workloads.ts";
import type { Measure } from "../load/load.ts";
import type { CostRow } from "../measures/cost.ts";
import type { MemoryResult } from "../measures/memory.ts";
import type { ScaleRow } from "../measures/scale.ts";
import type { StartRow } from "../measures/startup.ts";
import { THREAD_WORKLOADS, type ThreadsRow } from "../measures/threads.ts";
import type { Series } from "../measures/throughput.ts";
import type { WritesRow } from "../measures/writes.ts";
import { cpuOf, p50Of, p99Of, perSecondOf, ratio } from "./targets.ts";

export function throughputSection(series: readonly Series[]): string {
  const tables = WORKLOADS.map(({ name, title }) => {
    const rows = series.filter(({ work }) => work === name);
    const of = (contender: ContenderName) => rows.find((row) => row.contender === contender);
    const [ours, ceiling] = [of("this service"), of("ceiling") ?? of("ceiling, one thread")];
    const cells = rows.map((row) => [
      row.contender,
      ...figures(row.measures),
      oneDigit(median(cpuOf(row.measures))),
      relation(row, ceiling),
      row === ours ? "" : relation(ours, row),
    ]);
    const relative = ceiling ? `relative to the ${ceiling.contender}` : "";
    return `### ${title}\n\n${table(["contender", ...FIGURES, "CPU µs", relative, "this service relative to it"], cells)}`;
  });
  return `## Throughput\n\n${tables.join("\n\n")}`;
}

const relation = (a: Series | undefined, b: Series | undefined): string =>
  a && b ? `${(median(perSecondOf(a.measures)) / median(perSecondOf(b.measures))).toFixed(2)} ×` : "";

export function costSection(rows: readonly CostRow[], { costRounds, costConnections }: Settings): string {
  const cells = rows.map(({ what, animals, who, cpuMicros }) => {
    const bare = rows.find((row) => row.what === what && row.who === "bare server")?.cpuMicros ?? [];
    return [
      what === "any page" ? "list, any page" : "getPet, any animal",
      whole(animals),
      who,
      oneDigit(lowerQuartile(cpuMicros)),
      spread(cpuMicros, oneDigit),
      who === "bare server" ? "" : ratio(cpuMicros, bare, lowerQuartile).text,
    ];
  });
  return `## Where nothing is cached

What a request costs that no reply cache answers: CPU time of the whole process in microseconds, on one thread, with ${costConnections} connections. The figure is the lower quartile of ${costRounds} rounds, since noise only ever adds to it; contenders take turns on the same file. The bare server is a \`Bun.serve\` that runs the same statement and writes the same bytes and the same \`Link\`: no keys, no limits, no tags, no checks ([bare-store.ts](../bench/contenders/bare-store.ts)). Every response that is compared is the same in all of them.

${table(["what", "animals", "contender", "CPU µs", "spread", "relative to the bare server"], cells)}`;
}

const CORES_WANTED = [4, 8, 16];

export function threadsSection(rows: readonly ThreadsRow[], { threadMemorySeconds }: Settings): string {
  const [one] = rows;
  const cells = rows.flatMap(({ threads, measures, residentMb }) =>
    THREAD_WORKLOADS.map((work) => [
      String(threads),
      work === "list" ? "list, kept" : work,
      whole(median(perSecondOf(measures[work]))),
      whole(1e6 / median(cpuOf(measures[work]))),
      spread(measures[work].map(({ cpuMicros }) => 1e6 / cpuMicros)),
      one && one.threads !== threads ? ratio(cpuOf(one.measures[work]), cpuOf(measures[work])).text : "",
      work === "mix" ? `${whole(residentMb)} MB` : "",
    ]),
  );
  const head = [
    "threads",
    "work",
    "requests/s",
    "requests per CPU-second",
    "spread",
    "relative to one thread",
    "memory",
  ];
  return `## More threads

The load generator and the service share the cores of this machine, so more threads than that cannot be faster. What can be measured is what a request costs with them: if the requests per CPU-second stay the same, twice as many cores answer twice as many. Memory is resident memory after ${threadMemorySeconds} s more of the mix.

${table(head, cells)}

${arithmetic(rows)}`;
}

/** Extrapolates the figures to larger machines. */
function arithmetic(rows: readonly ThreadsRow[]): string {
  const most = rows.at(-1);
  if (!most) return "";
  const total = median(cpuOf(most.measures.mix));
  const writer = median(most.writerMicros);
  const share = writer / total;
  const cells = CORES_WANTED.map((cores) => {
    const beside = Math.min(cores, 1 / share);
    const amdahl = 1 / (share + (1 - share) / cores);
    return [
      String(cores),
      `${amdahl.toFixed(1)} ×`,
      whole((amdahl * 1e6) / total),
      `${beside.toFixed(1)} ×`,
      whole((beside * 1e6) / total),
    ];
  });
  return `What that means for more cores can only be calculated. With ${most.threads} threads, a request of the mix takes ${oneDigit(total)} µs of CPU time, of which the one writer thread takes ${oneDigit(writer)} (${(100 * share).toFixed(0)} %), as \`/proc\` says of each thread. All else is shared by the threads that answer. By Amdahl's law, as if everybody waited while the writer works, the mix would be 1 / (s + (1 − s) / n) times as fast on n cores as on one. In truth it works beside them, so the bound is n or 1 / s, whichever is less. This assumes that the load comes from another machine, that as many threads are set as there are cores (by default there are at most 8), that a request costs the same on all of them, and that neither network, disk nor memory bandwidth ends first. None of it can be measured on this machine.

${table(["cores", "Amdahl's law", "requests/s", "writer beside", "requests/s"], cells)}`;
}

export function writesSection(rows: readonly WritesRow[], connections: number): string {
  const alone = rows.find(({ beside }) => beside === "nothing");
  const cells = rows.map((row) => [
    row.beside,
    ...figures(row.lists),
    alone && alone !== row ? ratio(p99Of(row.lists), p99Of(alone.lists)).text : "",
    row.others.length > 0 ? whole(median(perSecondOf(row.others))) : "",
  ]);
  return `## Lists under a full write load

The other load is a second wrk with ${connections} connections that sends as many requests as it can. It shares the processor with everything else, so lists are also measured together with other lists: only what goes beyond that is the cost of writes.

${table(["other load", ...FIGURES, "p99 relative to no other load", "other requests/s"], cells)}`;
}

export function scaleSection(rows: readonly ScaleRow[]): string {
  const cells = rows.map(({ animals, page, measures }) => [whole(animals), page, ...figures(measures)]);
  const anyPage = rows.filter(({ page }) => page === "any page").map(({ measures }) => median(perSecondOf(measures)));
  const anyPageSpread = (Math.max(...anyPage) / Math.min(...anyPage)).toFixed(2);
  return `## Lists in small and large databases

20 animals by status. "Any page" requests 100,000 pages that begin anywhere, so that in a large database the reply cache cannot help; there, the sizes are within a factor of ${anyPageSpread} of each other.

${table(["animals", "page", ...FIGURES], cells)}`;
}

export function startSection(rows: readonly StartRow[]): string {
  const ms = (value: number) => value.toFixed(0);
  const bare = rows[0]?.startsMs ?? [];
  const cells = rows.map(({ who, startsMs }) => [
    who,
    median(startsMs).toFixed(0),
    spread(startsMs, ms),
    ratio(startsMs, bare).text,
  ]);
  return `## Start

From process start to the first 200, with a request every half millisecond; ${bare.length} starts each, in turn. This service answers a list request that has a key; its other threads join when they are ready.

${table(["who", "median ms", "spread", "relative to the bare server"], cells)}`;
}

export function memorySection(memory: MemoryResult, { memoryLoadSeconds, memoryWatchSeconds }: Settings): string {
  const { animals, afterStartMb, afterLoadMb, samplesMb, firstMinuteMb, lastMinuteMb, perSecond } = memory;
  const rows = [
    ["after the start", afterStartMb],
    [`after ${memoryLoadSeconds} s of the mix`, afterLoadMb],
    [`highest in the next ${memoryWatchSeconds} s`, Math.max(...samplesMb)],
    ["mean at the beginning of these", firstMinuteMb],
    ["mean at the end of these", lastMinuteMb],
  ] as const;
  return `## Memory

Resident memory with ${whole(animals)} animals under the mix, of which it answers ${whole(perSecond)} requests/s. Sampled every 10 s; beginning and end are one minute each.

${table(
  ["when", "MB"],
  rows.map(([when, mb]) => [when, whole(mb)]),
)}`;
}

const FIGURES = ["requests/s", "spread", "p50 ms", "p99 ms", "spread of p99"];
const oneDigit = (value: number): string => value.toFixed(1);
const twoDigits = (value: number): string => value.toFixed(2);

function figures(measures: readonly Measure[]): string[] {
  const errors = measures.reduce((sum, { socketErrors }) => sum + socketErrors, 0);
  const rate = whole(median(perSecondOf(measures)));
  return [
    errors > 0 ? `${rate} (${whole(errors)} socket errors)` : rate,
    spread(perSecondOf(measures)),
    twoDigits(median(p50Of(measures))),
    twoDigits(median(p99Of(measures))),
    spread(p99Of(measures), twoDigits),
  ];
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
