import type { ContenderName } from "./contenders.ts";
import type { Measure } from "./load.ts";
import type { Results } from "./results.ts";
import { median, spread, whole } from "./tools.ts";
import type { WorkName } from "./works.ts";

/** A target, and whether it was met. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly isMet: boolean;
}

export const perSecondOf = (measures: readonly Measure[]): number[] => measures.map(({ perSecond }) => perSecond);
export const p99Of = (measures: readonly Measure[]): number[] => measures.map(({ p99Ms }) => p99Ms);
export const p50Of = (measures: readonly Measure[]): number[] => measures.map(({ p50Ms }) => p50Ms);

const ratioText = (value: number): string => value.toFixed(2);

/** The ratio of the medians and, in brackets, the lowest and highest ratio of a single round. */
export function ratio(a: readonly number[], b: readonly number[]): { value: number; text: string } {
  const value = median(a) / median(b);
  const eachRound = a.map((x, i) => x / (b[i] as number));
  return { value, text: a.length > 1 ? `${ratioText(value)} (${spread(eachRound, ratioText)})` : ratioText(value) };
}

/** Every target whose part of the run was measured. */
export function judge(results: Results): Target[] {
  return [
    ...throughputTargets(results),
    ...writesTargets(results),
    ...scaleTargets(results),
    ...startTargets(results),
    ...memoryTargets(results),
  ];
}

function throughputTargets({ throughput, settings }: Results): Target[] {
  if (!throughput) return [];
  const animals = whole(settings.animals);
  const rates = (work: WorkName, contender: ContenderName) =>
    perSecondOf(throughput.find((row) => row.work === work && row.contender === contender)?.measures ?? []);
  const atLeast = (what: string, least: number, target: string, a: number[], b: number[]): Target => {
    const { value, text } = ratio(a, b);
    return { what, target, measured: text, isMet: value >= least };
  };
  const ofCeiling = (what: string, work: WorkName, least: number) =>
    atLeast(
      what,
      least,
      `at least ${least.toFixed(2)} of the ceiling`,
      rates(work, "this service"),
      rates(work, "ceiling"),
    );
  const timesFastify = (what: string, work: WorkName, least: number) =>
    atLeast(
      what,
      least,
      `at least ${least} times as fast as Fastify`,
      rates(work, "this service"),
      rates(work, "Fastify"),
    );
  const asFastAsList = (what: string, work: WorkName) =>
    atLeast(what, 1, "at least as fast as the list", rates(work, "this service"), rates("list", "this service"));
  return [
    ofCeiling(`list 20 of ${animals} by status`, "list", 0.85),
    timesFastify(`list 20 of ${animals} by status`, "list", 8),
    ofCeiling("getPet, one animal", "get", 0.8),
    timesFastify("getPet, one animal", "get", 3),
    ofCeiling("getPet, any animal", "getAny", 0.8),
    timesFastify("getPet, any animal", "getAny", 3),
    timesFastify("createPet, durable", "create", 5),
    asFastAsList("refused with 401", "unauthorised"),
    asFastAsList("refused with 429", "limited"),
  ];
}

function writesTargets({ writes, settings }: Results): Target[] {
  const p99 = (beside: string) =>
    p99Of(writes?.find((row) => row.beside === beside && row.connections === settings.connections)?.lists ?? []);
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
      target: "at most 2 times as long as the bare server",
      measured: text,
      isMet: value <= 2,
    };
  });
}

function memoryTargets({ memory, settings }: Results): Target[] {
  if (!memory) return [];
  const { animals, afterLoadMb, firstMinuteMb, lastMinuteMb } = memory;
  const growth = lastMinuteMb / firstMinuteMb;
  return [
    {
      what: `memory, ${whole(animals)} animals, after ${settings.memoryLoadSeconds} s of mixed load`,
      target: "at most 150 MB resident",
      measured: `${whole(afterLoadMb)} MB`,
      isMet: afterLoadMb <= 150,
    },
    {
      what: `memory over ${settings.memoryWatchSeconds} more seconds of it`,
      target: "flat: the end at most 1.1 times the beginning",
      measured: ratioText(growth),
      isMet: growth <= 1.1,
    },
  ];
}
