import type { Settings } from "../common/settings.ts";
import { median, whole } from "../common/tools.ts";
import type { Latency } from "../load/steady-load.ts";
import { keepsUp, type SteadyResult, type SteadyRow } from "../measures/steady.ts";
import { JOB_RATE, type JobRow } from "../measures/steady-jobs.ts";
import { BASE_RATE, bareRowOf, countedJobRounds, countedRounds, quietMsAt, rateText } from "./quiet.ts";
import { table } from "./sections.ts";

export function steadySection(result: SteadyResult, { connections, steady }: Settings, pictureName: string): string {
  const { capacity, rows } = result;
  const { rounds, seconds } = steady;
  return `## Latency at a steady rate

Saturation hides what users feel: here the mix is sent at a fixed rate, whether earlier requests were answered or not, on ${connections} connections. Latency counts from the time that a request was due, so one that had to wait for a connection has waited. ${rounds} ${rounds === 1 ? "round" : "rounds"} of ${seconds} s; at each rate all contenders take turns, and the bare server is the one called ceiling, since it answers the whole mix on as many threads. ${capacityText(capacity)}

A round counts if the bare server's p99 at the same rate was at most ${quietMsAt(BASE_RATE)} ms at ${whole(BASE_RATE)} requests/s, and ${quietMsAt(BASE_RATE + 1)} ms at the others: otherwise the machine was not quiet. Nor does it count if the load generator itself was late, by more than half of the p99. Figures are medians of the rounds that count, and the slowest request of them; where none does, of all rounds, and the row is marked.

![Latency of each contender by requests per second](${pictureName})

${table(
  [
    "requests/s",
    "contender",
    "p50 ms",
    "p99 ms",
    "p99.9 ms",
    "slowest ms",
    "p99 relative to the ceiling",
    "generator late, p99 ms",
    "rounds that count",
  ],
  rows.map((row) => [rateText(row), row.contender, ...cells(rows, row)]),
)}`;
}

const capacityText = (capacity: number): string =>
  capacity === 0
    ? "This service did not keep up even with the lowest rate that was tried, so no share of its capacity was measured."
    : `The capacity is that of this service: the rate was raised in steps of a quarter, a second each, until the median latency was above 10 ms, which is when the queue grows as long as the rate lasts, and again in a second attempt. The last rate that it kept up with is ${whole(capacity)} requests/s.`;

function cells(rows: readonly SteadyRow[], row: SteadyRow): string[] {
  const counted = countedRounds(rows, row);
  const bares = bareRowOf(rows, row)?.latencies ?? [];
  const shown =
    counted.length > 0 ? counted : row.latencies.map((latency, i) => ({ latency, bare: bares[i] ?? latency }));
  const of = (figure: keyof Latency) => shown.map(({ latency }) => latency[figure]);
  const count = countText(counted.length, row.latencies.length);
  const lag = twoDigits(median(of("lagP99Ms")));
  if (!shown.every(({ latency }) => keepsUp(latency))) return ["does not keep up", "", "", "", "", lag, count];
  return [
    ...[of("p50Ms"), of("p99Ms"), of("p999Ms")].map((values) => twoDigits(median(values))),
    twoDigits(Math.max(...of("slowestMs"))),
    row.contender === "ceiling" ? "" : twoDigits(median(of("p99Ms")) / median(shown.map(({ bare }) => bare.p99Ms))),
    lag,
    count,
  ];
}

export function jobsSection(rows: readonly JobRow[], { steady: { jobRounds, jobSeconds } }: Settings): string {
  const cells = rows.map((row) => {
    const counted = countedJobRounds(row);
    const shown = counted.length > 0 ? counted : row.rounds;
    const p99 = (of: "bare" | "without" | "beside") => median(shown.map((round) => round[of].p99Ms));
    return [
      row.job,
      shown.at(-1)?.happened.text ?? "",
      twoDigits(p99("bare")),
      twoDigits(p99("without")),
      twoDigits(p99("beside")),
      twoDigits(p99("beside") / p99("without")),
      twoDigits(Math.max(...shown.map(({ beside }) => beside.slowestMs))),
      countText(counted.length, row.rounds.length),
    ];
  });
  const head = [
    "job",
    "what there was of it, in one round",
    "p99 of the ceiling",
    "without",
    "beside",
    "relative",
    "slowest",
  ];
  return `### Beside other work

The mix at ${whole(JOB_RATE)} requests/s while something else happens, and just before without it, in the same process; ${jobRounds} ${jobRounds === 1 ? "round" : "rounds"} of ${jobSeconds} s, p99 in ms, counted as above, and only if the job has happened. Backups, exports and imports are commands that run over and over, on the same cores. Checkpoints are made ten times a second by another process, beside those that the service makes by itself in all rows. For the usage flush, requests come from 1,000 keys instead of one: their sums are written every 5 s. The sweep deletes expired responses of retried writes; a service begins with that an hour after its start, so this one runs from its source with a clock that is set forward. The console's overview is asked for ten times a second, where a page does so every 5 s.

${table([...head, "rounds that count"], cells)}`;
}

const countText = (counted: number, all: number): string =>
  counted > 0 ? `${counted} of ${all}` : `none of ${all}: not counted`;

const twoDigits = (value: number): string => value.toFixed(2);
