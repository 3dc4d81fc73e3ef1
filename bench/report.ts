import type { ContenderName } from "./contenders.ts";
import type { Measure } from "./load.ts";
import type { Machine } from "./machine.ts";
import type { MemoryResult } from "./memory.ts";
import type { Results } from "./results.ts";
import type { ScaleRow } from "./scale.ts";
import type { StartRow } from "./startup.ts";
import { judge, p50Of, p99Of, perSecondOf, ratio } from "./targets.ts";
import type { Series } from "./throughput.ts";
import { median, spread, whole } from "./tools.ts";
import { WORKS } from "./works.ts";
import type { WritesRow } from "./writes.ts";

const WHERE_TIME_GOES = new URL("where-time-goes.md", import.meta.url);

/** The whole report, as Markdown. The chart is in a file next to it. */
export async function writeReport(results: Results, pictureName: string): Promise<string> {
  const { machine, command, settings, throughput, writes, scale, start, memory } = results;
  const sections = [
    "# Benchmarks",
    `Written by \`${command}\`. ${machineText(machine)}`,
    targetSection(results),
    throughput && `![Requests per second of each contender](${pictureName})`,
    CONTENDERS,
    howToRead(settings.rounds, settings.seconds, settings.connections, settings.animals),
    throughput && throughputSection(throughput),
    writes && writesSection(writes, settings.connections),
    scale && scaleSection(scale),
    start && startSection(start),
    memory && memorySection(memory, settings.memoryLoadSeconds, settings.memoryWatchSeconds),
    `## Where the remaining time goes\n\n${(await Bun.file(WHERE_TIME_GOES).text()).trim()}`,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

export function targetSection(results: Results): string {
  const rows = judge(results).map(({ what, target, measured, isMet }) => [what, target, measured, isMet ? "✔" : "✘"]);
  return `## Targets\n\nIn brackets: the lowest and highest ratio of a single round.\n\n${table(["what", "target", "measured", ""], rows)}`;
}

const machineText = (machine: Machine): string => `The figures below come from one run on this machine:

${table(
  ["", ""],
  [
    ["date", machine.date],
    ["revision", machine.revision],
    ["processor", `${machine.cpu}, ${machine.cores} cores`],
    ["memory", `${machine.memoryGb} GB`],
    ["system", machine.system],
    ["databases on", machine.fileSystem],
    ["versions", machine.versions],
  ],
)}`;

const CONTENDERS = `## Contenders

| name | what it is |
|---|---|
| this service | As \`npm start\` runs it, with default settings. Only for requests without a key, the limit per address is raised, since all of them come from one address. |
| ceiling | A bare \`Bun.serve\` that returns the bytes and headers of this service's response, and does nothing else ([ceiling.ts](../bench/ceiling.ts)). |
| nginx | One worker that returns the same bytes and headers from its configuration. |
| Fastify | The textbook implementation: Fastify 5 on Node with its bearer-auth and rate-limit plugins, JSON schemas for requests and responses, better-sqlite3 with prepared statements, an index, WAL and \`synchronous=FULL\`, and one commit per request ([fastify.js](../bench/peers/fastify.js)). |
| Express | The same with Express 5 ([express.js](../bench/peers/express.js)). |

Each is one process on the loopback interface, with a separate database. Before and after a measurement, the response is compared with that of this service; a wrong one ends the run.`;

const howToRead = (rounds: number, seconds: number, connections: number, animals: number): string => `## How to read it

The load comes from wrk with one thread and ${connections} connections, on the same machine as the contender, so the figures can be compared with each other, but not with those of other machines. Contenders take turns over ${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s after a warm-up, each time in a new process, with ${whole(animals)} animals. A figure is the median of the rounds, the spread is the lowest and highest value, and a ratio is that of two medians.

wrk opens all its connections at once when a measurement begins, and counts a late response as many times as requests would have been sent in the meantime. Node accepts one connection per turn of its event loop, so the first requests of some connections have to wait: the p99 of Fastify and Express is probably due to that more than to the work itself. No target depends on it.`;

function throughputSection(series: readonly Series[]): string {
  const tables = WORKS.map(({ name, title }) => {
    const rows = series.filter(({ work }) => work === name);
    const of = (contender: ContenderName) => rows.find((row) => row.contender === contender);
    const [ours, ceiling] = [of("this service"), of("ceiling")];
    const cells = rows.map((row) => [
      row.contender,
      ...figures(row.measures),
      relation(row, ceiling),
      row === ours ? "" : relation(ours, row),
    ]);
    return `### ${title}\n\n${table(["contender", ...FIGURES, "relative to the ceiling", "this service relative to it"], cells)}`;
  });
  return `## Throughput\n\n${tables.join("\n\n")}`;
}

const relation = (a: Series | undefined, b: Series | undefined): string =>
  a && b ? `${(median(perSecondOf(a.measures)) / median(perSecondOf(b.measures))).toFixed(2)} ×` : "";

function writesSection(rows: readonly WritesRow[], connections: number): string {
  const cells = rows.map((row) => {
    const alone = rows.find((other) => other.connections === row.connections && other.beside === "nothing");
    return [
      String(row.connections),
      row.beside,
      ...figures(row.lists),
      alone && alone !== row ? ratio(p99Of(row.lists), p99Of(alone.lists)).text : "",
      row.others.length > 0 ? whole(median(perSecondOf(row.others))) : "",
    ];
  });
  return `## Lists under a full write load

The other load is a second wrk with ${connections} connections that sends as many requests as it can. It shares the processor with everything else, so lists are also measured together with other lists: only what goes beyond that is the cost of writes.

${table(["connections for lists", "other load", ...FIGURES, "p99 relative to no other load", "other requests/s"], cells)}`;
}

function scaleSection(rows: readonly ScaleRow[]): string {
  const cells = rows.map(({ animals, page, measures }) => [whole(animals), page, ...figures(measures)]);
  const anyPage = rows.filter(({ page }) => page === "any page").map(({ measures }) => median(perSecondOf(measures)));
  const anyPageSpread = (Math.max(...anyPage) / Math.min(...anyPage)).toFixed(2);
  return `## Lists in small and large databases

20 animals by status. "Any page" requests 100,000 pages that begin anywhere, so that in a large database the reply cache cannot help; there, the sizes are within a factor of ${anyPageSpread} of each other.

${table(["animals", "page", ...FIGURES], cells)}`;
}

function startSection(rows: readonly StartRow[]): string {
  const ms = (value: number) => value.toFixed(0);
  const bare = rows[0]?.startsMs ?? [];
  const cells = rows.map(({ who, startsMs }) => [
    who,
    median(startsMs).toFixed(0),
    spread(startsMs, ms),
    ratio(startsMs, bare).text,
  ]);
  return `## Start

From process start to the first 200, with a request every half millisecond; ${bare.length} starts each, in turn. This service answers a list request that has a key.

${table(["who", "median ms", "spread", "relative to the bare server"], cells)}`;
}

function memorySection(memory: MemoryResult, loadSeconds: number, watchSeconds: number): string {
  const { animals, afterStartMb, afterLoadMb, samplesMb, firstMinuteMb, lastMinuteMb, perSecond } = memory;
  const rows = [
    ["after the start", afterStartMb],
    [`after ${loadSeconds} s of load`, afterLoadMb],
    [`highest in the next ${watchSeconds} s`, Math.max(...samplesMb)],
    ["mean at the beginning of these", firstMinuteMb],
    ["mean at the end of these", lastMinuteMb],
  ] as const;
  return `## Memory

Resident memory with ${whole(animals)} animals under a mixed load of ${whole(perSecond)} requests/s: of ten requests, three are for the first page, three for any page, three for any animal, and one creates an animal. Sampled every 10 s; beginning and end are one minute each.

${table(
  ["when", "MB"],
  rows.map(([when, mb]) => [when, whole(mb)]),
)}`;
}

const FIGURES = ["requests/s", "spread", "p50 ms", "p99 ms", "spread of p99"];
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

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
