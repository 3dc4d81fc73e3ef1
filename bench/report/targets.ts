import { lowerQuartile, median, spread, whole } from "../common/tools.ts";
import type { ContenderName, WorkloadName } from "../common/workloads.ts";
import type { Measure } from "../load/load.ts";
import type { CostName } from "../measures/cost.ts";
import type { SteadyResult } from "../measures/steady.ts";
import { JOB_RATE, type JobRow } from "../measures/steady-jobs.ts";
import { THREAD_WORKLOADS } from "../measures/threads.ts";
import type { Series } from "../measures/throughput.ts";
import { BASE_MS_MAX, BASE_RATE, countedJobRounds, countedRounds, rateText } from "./quiet.ts";
import type { Results } from "./results.ts";

/** A target and its outcome. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  /** Undefined: the machine was not quiet, so that no round counts. */
  readonly isMet: boolean | undefined;
}

export const perSecondOf = (measures: readonly Measure[]): number[] => measures.map(({ perSecond }) => perSecond);
export const p99Of = (measures: readonly Measure[]): number[] => measures.map(({ p99Ms }) => p99Ms);
export const cpuOf = (measures: readonly Measure[]): number[] => measures.map(({ cpuMicros }) => cpuMicros);
export const p50Of = (measures: readonly Measure[]): number[] => measures.map(({ p50Ms }) => p50Ms);

const ratioText = (value: number): string => value.toFixed(2);

/** The ratio of the medians, with the lowest and highest ratio of a single round in brackets. */
export function ratio(
  a: readonly number[],
  b: readonly number[],
  typical: (values: readonly number[]) => number = median,
): { value: number; text: string } {
  const value = typical(a) / typical(b);
  const eachRound = a.map((x, i) => x / (b[i] as number));
  return { value, text: a.length > 1 ? `${ratioText(value)} (${spread(eachRound, ratioText)})` : ratioText(value) };
}

/** Judges every target whose part of the run was measured, the mix first. */
export function judge(results: Results): Target[] {
  return [
    ...(results.throughput ? throughputTargets(results.throughput) : []),
    ...(results.steady ? steadyTargets(results.steady) : []),
    ...(results.jobs ?? []).map(jobTarget),
    ...costTargets(results),
    ...threadTargets(results),
    ...startTargets(results),
    ...memoryTargets(results),
  ];
}

/** Judges the targets that date from when the service had one thread. */
export function judgeEarlier(results: Results): Target[] {
  return [
    ...(results.throughput ? earlierThroughputTargets(results.throughput) : []),
    ...writesTargets(results),
    ...scaleTargets(results),
  ];
}

/** Ratios from here to 1 are within noise: a repeated run may turn them around. */
export const NO_WORSE = 0.97;

/** Ratios of a workload's figures between two contenders, or none if one of them did not take part. */
class Comparison {
  constructor(private readonly series: readonly Series[]) {}

  #measures(work: WorkloadName, contender: ContenderName): Measure[] {
    return this.series.find((row) => row.work === work && row.contender === contender)?.measures ?? [];
  }

  atLeast(least: number, what: string, work: WorkloadName, other: ContenderName, who: ContenderName = "this service") {
    const [ours, theirs] = [this.#measures(work, who), this.#measures(work, other)];
    if (ours.length === 0 || theirs.length === 0) return [];
    const { value, text } = ratio(perSecondOf(ours), perSecondOf(theirs));
    return [{ what, target: `at least ${TIMES[other](least)}`, measured: text, isMet: value >= least }];
  }

  p99AtMost(most: number, target: string, work: WorkloadName, other: ContenderName): Target[] {
    const [ours, theirs] = [this.#measures(work, "this service"), this.#measures(work, other)];
    if (ours.length === 0 || theirs.length === 0) return [];
    const { value, text } = ratio(p99Of(ours), p99Of(theirs));
    return [{ what: `p99 of the ${work}`, target, measured: text, isMet: value <= most }];
  }
}

const times = (whom: string) => (least: number) => `${least} times ${whom}`;
const share = (whom: string) => (least: number) => `${least.toFixed(2)} of ${whom}`;

/** The wording of a ratio to each contender. */
const TIMES: Record<ContenderName, (least: number) => string> = {
  "this service": times("this service's"),
  "THREADS=1": times("one thread's"),
  "former revision": (least) =>
    least === NO_WORSE ? `${least} of the former revision's: no worse` : `${least} times the former revision's`,
  ceiling: share("the ceiling on as many threads"),
  "ceiling, one thread": share("the one-thread ceiling"),
  nginx: times("nginx's"),
  Fastify: times("Fastify's"),
  "Fastify cluster": times("the Fastify cluster's"),
};

const FORMER_WORKLOADS: readonly (readonly [WorkloadName, string])[] = [
  ["list", "list, kept"],
  ["get", "getPet, one animal"],
  ["getAny", "getPet, any animal"],
  ["create", "createPet, durable"],
  ["unauthorised", "refused with 401"],
  ["limited", "refused with 429"],
];

function throughputTargets(series: readonly Series[]): Target[] {
  const compare = new Comparison(series);
  return [
    ...compare.atLeast(2.2, "mix", "mix", "former revision"),
    ...compare.atLeast(4, "mix", "mix", "Fastify"),
    ...compare.atLeast(2, "mix", "mix", "Fastify cluster"),
    ...compare.atLeast(0.6, "mix", "mix", "ceiling"),
    ...compare.p99AtMost(1, "no worse than the former revision's", "mix", "former revision"),
    ...compare.p99AtMost(0.5, "at most half of Fastify's", "mix", "Fastify"),
    ...compare.atLeast(1.5, "list, kept", "list", "former revision"),
    ...compare.atLeast(1.2, "list, kept", "list", "ceiling, one thread"),
    ...compare.atLeast(1.7, "getPet, any animal", "getAny", "former revision"),
    ...compare.atLeast(1.2, "createPet, durable", "create", "former revision"),
    ...FORMER_WORKLOADS.flatMap(([work, what]) =>
      compare.atLeast(NO_WORSE, `${what}, one thread`, work, "former revision", "THREADS=1"),
    ),
  ];
}

const STEADY_TIMES_MAX = 2.5;

/** The p99 of this service at each rate: in milliseconds at the base rate, relative to the bare server at the others. */
function steadyTargets({ rows }: SteadyResult): Target[] {
  return rows
    .filter(({ contender }) => contender === "this service")
    .map((row) => {
      const rounds = countedRounds(rows, row);
      const [ours, bare] = [rounds.map(({ latency }) => latency.p99Ms), rounds.map(({ bare }) => bare.p99Ms)];
      const isBase = row.perSecond === BASE_RATE;
      return {
        what: `p99 of the mix at ${rateText(row)} requests/s`,
        target: isBase ? `at most ${BASE_MS_MAX} ms` : `at most ${STEADY_TIMES_MAX} times the bare server's (ceiling)`,
        ...(rounds.length === 0
          ? NONE_COUNTS
          : isBase
            ? millisOutcome(ours)
            : timesOutcome(ours, bare, STEADY_TIMES_MAX)),
      };
    });
}

const JOB_TIMES_MAX = 2;

function jobTarget(row: JobRow): Target {
  const rounds = countedJobRounds(row);
  const [beside, without] = [rounds.map(({ beside }) => beside.p99Ms), rounds.map(({ without }) => without.p99Ms)];
  return {
    what: `p99 of the mix at ${whole(JOB_RATE)} requests/s beside: ${row.job}`,
    target: `at most ${JOB_TIMES_MAX} times that without`,
    ...(rounds.length === 0 ? NONE_COUNTS : timesOutcome(beside, without, JOB_TIMES_MAX)),
  };
}

const NONE_COUNTS = { measured: "no round counts", isMet: undefined };

const millisOutcome = (values: readonly number[]) => ({
  measured: `${ratioText(median(values))} ms${values.length > 1 ? ` (${spread(values, ratioText)})` : ""}`,
  isMet: median(values) <= BASE_MS_MAX,
});

function timesOutcome(values: readonly number[], others: readonly number[], most: number) {
  const { value, text } = ratio(values, others);
  return { measured: text, isMet: value <= most };
}

function earlierThroughputTargets(series: readonly Series[]): Target[] {
  const compare = new Comparison(series);
  const rates = (work: WorkloadName) =>
    perSecondOf(series.find((row) => row.work === work && row.contender === "this service")?.measures ?? []);
  const asFastAsList = (what: string, work: WorkloadName): Target => {
    const { value, text } = ratio(rates(work), rates("list"));
    return { what, target: "at least as fast as the list", measured: text, isMet: value >= 1 };
  };
  return [
    ...compare.atLeast(8, "list, kept", "list", "Fastify"),
    ...compare.atLeast(3, "getPet, any animal", "getAny", "Fastify"),
    ...compare.atLeast(5, "createPet, durable", "create", "Fastify"),
    asFastAsList("refused with 401", "unauthorised"),
    asFastAsList("refused with 429", "limited"),
  ];
}

const COST_TARGETS: Record<CostName, readonly [what: string, most: number]> = {
  "any page": ["list, any page", 1.2],
  "any animal": ["getPet, any animal, nothing kept", 1.4],
};

function costTargets({ cost = [] }: Results): Target[] {
  const bare = cost.filter(({ who }) => who === "bare server");
  return bare.map(({ what, animals, cpuMicros }) => {
    const ours = cost.find((row) => row.what === what && row.who === "THREADS=1")?.cpuMicros ?? [];
    const { value, text } = ratio(ours, cpuMicros, lowerQuartile);
    const [title, most] = COST_TARGETS[what];
    return {
      what: `${title}, ${whole(animals)} animals, CPU time on one thread`,
      target: `at most ${most} times the bare server's with the same statement`,
      measured: text,
      isMet: value <= most,
    };
  });
}

const FURTHER_THREAD_MB = 60;

function threadTargets({ threads = [] }: Results): Target[] {
  const [one, ...more] = threads;
  if (!one) return [];
  const scaling = THREAD_WORKLOADS.flatMap((work) =>
    more.map(({ threads, measures }) => {
      // CPU time per request is the inverse of requests per CPU-second.
      const { value, text } = ratio(cpuOf(one.measures[work]), cpuOf(measures[work]));
      return {
        what: `${work === "list" ? "list, kept" : work}, ${threads} threads, requests per CPU-second`,
        target: "at least 0.90 of one thread's",
        measured: text,
        isMet: value >= 0.9,
      };
    }),
  );
  const memory = more.map(({ threads, residentMb }) => {
    const value = (residentMb - one.residentMb) / (threads - 1);
    return {
      what: `memory of each further thread, ${threads} threads`,
      target: `at most ${FURTHER_THREAD_MB} MB`,
      measured: `${whole(value)} MB`,
      isMet: value <= FURTHER_THREAD_MB,
    };
  });
  return [...scaling, ...memory];
}

function writesTargets({ writes }: Results): Target[] {
  const p99 = (beside: string) => p99Of(writes?.find((row) => row.beside === beside)?.lists ?? []);
  if (!writes) return [];
  const { value, text } = ratio(p99("creations"), p99("nothing"));
  return [
    {
      what: "list under a full write load, p99",
      target: "at most 2 times that without writes",
      measured: text,
      isMet: value <= 2,
    },
  ];
}

function scaleTargets({ scale, settings }: Results): Target[] {
  if (!scale) return [];
  const rates = scale.filter(({ page }) => page !== "any page").map(({ measures }) => median(perSecondOf(measures)));
  const value = Math.max(...rates) / Math.min(...rates);
  return [
    {
      what: `list, first page and 90 % deep, at ${settings.sizes.map(whole).join(", ")} animals`,
      target: "within a factor of 1.15 of each other",
      measured: ratioText(value),
      isMet: value <= 1.15,
    },
  ];
}

function startTargets({ start }: Results): Target[] {
  const [bare, ...ours] = start ?? [];
  if (!bare) return [];
  return ours.map(({ startsMs, animals = 0 }) => {
    const { value, text } = ratio(startsMs, bare.startsMs);
    return {
      what: `start, ${whole(animals)} animals`,
      target: "at most 3 times as long as the bare server",
      measured: text,
      isMet: value <= 3,
    };
  });
}

function memoryTargets({ memory, settings }: Results): Target[] {
  if (!memory) return [];
  const { animals, afterLoadMb, firstMinuteMb, lastMinuteMb } = memory;
  const growth = lastMinuteMb / firstMinuteMb;
  return [
    {
      what: `memory, ${whole(animals)} animals, after ${settings.memoryLoadSeconds} s of the mix`,
      target: "at most 180 MB resident",
      measured: `${whole(afterLoadMb)} MB`,
      isMet: afterLoadMb <= 180,
    },
    {
      what: `memory over ${settings.memoryWatchSeconds} more seconds of it`,
      target: "flat: the end at most 1.1 times the beginning",
      measured: ratioText(growth),
      isMet: growth <= 1.1,
    },
  ];
}
