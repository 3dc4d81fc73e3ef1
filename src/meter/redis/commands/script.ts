import { SECOND_MS } from "../../../base/time/clock.ts";
import { BAN_LADDER_MS, BAN_MEMORY_MS } from "../../../domain/limits/ban.ts";
import {
  quotaStatusOf,
  type RatePolicy,
  TALLY_NUMBER_NAMES,
  type Tally,
  tallyOfNumbers,
  type Verdict,
} from "../../../domain/limits/tally.ts";
import { DAY, MINUTE } from "../../../domain/limits/window.ts";
import rule from "./judge.lua" with { type: "text" };

/** The numbers by which the script returns kinds of verdict. */
const KINDS = ["pass", "exhausted", "banned"] as const satisfies readonly Verdict["kind"][];

/**
 * Redis expires keys by its own clock. Where requests are judged by another clock, a tally must not vanish before its
 * window ends by that one; outliving it does no harm, because the rule itself closes windows.
 */
export const EXPIRY_MARGIN_MS = SECOND_MS;

/** The names of a tally's numbers, as a table of Lua. */
export const FIELDS = `local FIELDS = { ${TALLY_NUMBER_NAMES.map((name) => `'${name}'`).join(", ")} }`;

/** Literals, because every call would pay for arguments. */
const CONSTANTS = `
local MINUTE, DAY, BAN_MEMORY = ${MINUTE.lengthMs}, ${DAY.lengthMs}, ${BAN_MEMORY_MS}
local EXPIRY_MARGIN = ${EXPIRY_MARGIN_MS}
local BAN_LADDER = { ${BAN_LADDER_MS.join(", ")} }
${FIELDS}
local ${KINDS.map((kind) => kind.toUpperCase()).join(", ")} = ${[...KINDS.keys()].join(", ")}
`;

/** The whole script: the rule's constants, from the domain, and the rule. */
export const JUDGE_SCRIPT = CONSTANTS.trimStart() + rule;

/** Strikes of a subject, all in the minute that began at the given moment. */
export interface Strikes {
  readonly count: number;
  readonly sinceMs: number;
}

export interface JudgeCall {
  readonly policy: RatePolicy;
  /** Strikes that this instance recorded by itself, for Redis to add. */
  readonly strikes: Strikes | undefined;
  /** The number of requests to judge. 0: nothing is judged or counted, the strikes are only added. */
  readonly requests: number;
  /** Undefined: the time is Redis's own. */
  readonly nowMs: number | undefined;
}

export interface JudgeAnswer {
  /** The time when Redis was asked, by this machine's clock. */
  readonly askedAtMs: number;
  /** The verdict on the last of the requests that were judged. */
  readonly verdict: Verdict;
  /** The number of requests that were judged: all that passed, or one that was refused. */
  readonly judged: number;
  /** The tally after that. */
  readonly tally: Tally;
}

/** The braces make a cluster choose the node by the subject alone. */
export const keyOf = (subject: string): string => `animal-store:{${subject}}`;

/** Makes the script's ARGV. */
export const argumentsOf = ({ policy, strikes, requests, nowMs }: JudgeCall): (string | number)[] => [
  policy.perMinute,
  policy.perDay ?? 0,
  policy.strikesToBan ?? 0,
  policy.unbannedAtMs,
  strikes?.count ?? 0,
  strikes?.sinceMs ?? 0,
  requests,
  nowMs ?? "",
];

/** Parses the numbers that the script returns into a verdict and its tally. */
export function readAnswer(answer: readonly number[], policy: RatePolicy, askedAtMs: number): JudgeAnswer {
  const [kindNumber, nowMs, strikesLeft, isNew, judged, ...fields] = answer as [number, number, number, number, number];
  const tally = tallyOf(fields);
  const quotaStatus = quotaStatusOf(tally, policy, nowMs);
  const kind = KINDS[kindNumber] as Verdict["kind"];
  if (kind === "pass") return { askedAtMs, tally, judged, verdict: { kind, quotaStatus } };
  if (kind === "banned") return { askedAtMs, tally, judged, verdict: { kind, quotaStatus, isNew: isNew === 1 } };
  const left = strikesLeft < 0 ? undefined : strikesLeft;
  return { askedAtMs, tally, judged, verdict: { kind, quotaStatus, strikesLeft: left } };
}

/** Derives the verdicts on all requests that were judged, in their order, each with the quotas that it left. */
export function verdictsOf({ verdict, judged, tally }: JudgeAnswer, policy: RatePolicy): Verdict[] {
  const verdicts = [verdict];
  const { minute, day } = tally;
  for (let later = 1; later < judged; later++) {
    const then = {
      ...tally,
      minute: { ...minute, used: minute.used - later },
      day: { ...day, used: Math.max(0, day.used - later) },
    };
    verdicts.push({ kind: "pass", quotaStatus: quotaStatusOf(then, policy, verdict.quotaStatus.atMs) });
  }
  return verdicts.reverse();
}

/** A field that Redis does not have is null, and means 0. */
export const tallyOf = (values: readonly (number | string | null)[]): Tally => tallyOfNumbers(values.map(Number));
