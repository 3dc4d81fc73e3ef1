import { CORES, DEFAULT_THREADS, type Settings } from "../common/settings.ts";
import { whole } from "../common/tools.ts";
import type { Machine } from "./machine.ts";
import type { Results } from "./results.ts";
import {
  costSection,
  memorySection,
  scaleSection,
  startSection,
  table,
  threadsSection,
  throughputSection,
  writesSection,
} from "./sections.ts";
import { jobsSection, steadySection } from "./steady-section.ts";
import { judge, judgeEarlier, type Target } from "./targets.ts";

const WHERE_TIME_GOES = new URL("where-time-goes.md", import.meta.url);

/** The charts, in files next to the report. */
export const PICTURE = "benchmarks.svg";
export const LATENCY_PICTURE = "benchmarks-latency.svg";

/** Writes the whole report as Markdown. */
export async function writeReport(results: Results): Promise<string> {
  const { machine, command, minutes, settings, against } = results;
  const { throughput, steady, jobs, threads, writes, scale, cost, start, memory } = results;
  const sections = [
    "# Benchmarks",
    `Written by \`${command}\`, which took ${minutes.toFixed(1)} minutes. ${machineText(machine)}`,
    targetSection(results),
    throughput && `![Requests per second of each contender](${PICTURE})`,
    contendersSection(against),
    howToRead(settings),
    howToReproduce(against),
    throughput && throughputSection(throughput),
    steady && steadySection(steady, settings, LATENCY_PICTURE),
    jobs && jobsSection(jobs, settings),
    cost && costSection(cost, settings),
    threads && threadsSection(threads, settings),
    writes && writesSection(writes, settings.connections),
    scale && scaleSection(scale),
    start && startSection(start),
    memory && memorySection(memory, settings),
    `## Where the remaining time goes\n\n${(await Bun.file(WHERE_TIME_GOES).text()).trim()}`,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

export function targetSection(results: Results): string {
  const [targets, earlier] = [judge(results), judgeEarlier(results)];
  const all = [...targets, ...earlier];
  const count = (outcome: Target["isMet"]) => all.filter(({ isMet }) => isMet === outcome).length;
  const uncounted = count(undefined) > 0 ? `, ${count(undefined)} are not counted` : "";
  const parts = [
    "## Targets",
    `${count(true)} of ${all.length} are met, ${count(false)} are missed${uncounted}. In brackets: the lowest and highest ratio of a single round.`,
    targetTable(targets),
  ];
  if (earlier.length > 0) parts.push("Set before there were threads, and still measured:", targetTable(earlier));
  return parts.join("\n\n");
}

const targetTable = (targets: readonly Target[]): string =>
  table(
    ["what", "target", "measured", ""],
    targets.map(({ what, target, measured, isMet }) => [what, target, measured, verdict(isMet)]),
  );

const verdict = (isMet: boolean | undefined): string =>
  isMet === undefined ? "– not counted" : isMet ? "✔ met" : "✘ missed";

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

function contendersSection(against: string | undefined): string {
  const former: string[][] = against
    ? [["former revision", `Revision ${against} of this service, built beside it, with default settings.`]]
    : [];
  const rows = [
    [
      "this service",
      `As \`npm start\` runs it, with default settings: ${DEFAULT_THREADS} threads here. Only for requests without a key, the limit per address is raised, since all of them come from one address.`,
    ],
    ["THREADS=1", "The same with one thread that answers, and as ever one that writes."],
    ...former,
    [
      "ceiling",
      `A bare \`Bun.serve\` on ${DEFAULT_THREADS} threads that returns the bytes and headers of this service's responses, and does nothing else ([ceiling.ts](../bench/contenders/ceiling.ts)). In the mix, it answers every page with the first one.`,
    ],
    ["ceiling, one thread", "The same on one thread."],
    ["nginx", "One worker that returns the same bytes and headers of a list from its configuration."],
    [
      "Fastify",
      "The textbook implementation: Fastify 5 on Node with its bearer-auth and rate-limit plugins, JSON schemas for requests and responses, better-sqlite3 with prepared statements, an index, WAL and `synchronous=FULL`, and one commit per request ([fastify.js](../bench/peers/fastify.js)).",
    ],
    [
      "Fastify cluster",
      `The same in ${CORES} processes, one per core, which is what its users do ([fastify-cluster.js](../bench/peers/fastify-cluster.js)). Its limits are then wrong: each process counts by itself, so a key may make up to ${CORES} times as many requests as its quota says.`,
    ],
  ];
  return `## Contenders

${table(["name", "what it is"], rows)}

All are on the loopback interface, each with a separate database. Before and after a measurement, the response to each kind of request is compared with that of this service, and during the warm-up the status of every response is looked at; a wrong one ends the run.`;
}

const howToRead = ({ rounds, seconds, connections, animals }: Settings): string => `## How to read it

The load comes from wrk with one thread and ${connections} connections, on the same machine as the contender, so the figures can be compared with each other, but not with those of other machines: what wrk takes, a contender with several threads cannot have. Contenders take turns over ${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s after a warm-up, each time in a new process, with ${whole(animals)} animals. A figure is the median of the rounds, the spread is the lowest and highest value, and a ratio is that of two medians. CPU time is user and system time of the whole process, and of those that it has started, per request.

The mix has, of ten requests, three for the first page, three for pages that begin anywhere, three for any animal, and a creation, in random order. "No worse" means at least 0.97: less than that is a difference that a repeated run may turn around.

wrk opens all its connections at once when a measurement begins, and counts a late response as many times as requests would have been sent in the meantime. Node accepts one connection per turn of its event loop, so the first requests of some connections have to wait: the p99 of Fastify is probably due to that more than to the work itself. So its target says less than the others.`;

const howToReproduce = (against: string | undefined): string => `## How to reproduce it

\`\`\`sh
apt-get install wrk nginx
npm ci
npm run bench${against ? ` -- --against ${against}` : ""}
\`\`\`

The temporary folder has to be on a disk, and the machine should do nothing else. [bench/README.md](../bench/README.md) says what else can be run, among it the comparison of a fleet on PostgreSQL and Redis.`;
