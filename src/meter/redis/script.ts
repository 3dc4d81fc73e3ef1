import { BAN_LADDER_MS, BAN_MEMORY_MS } from "../../domain/ban.ts";
import { newTally, type RatePolicy, standingOf, type Tally, type Verdict } from "../../domain/tally.ts";
import { DAY, MINUTE } from "../../domain/window.ts";
import rule from "./judge.lua" with { type: "text" };

/** One number of a tally: in which part, under which name. */
type TallyNumber = { [Part in keyof Tally]: readonly [Part, keyof Tally[Part]] }[keyof Tally];

/** Redis's name for each number of a tally. The script and its answers have them in this order. */
const FIELDS = {
  minute_opened_at: ["minute", "openedAtMs"],
  minute_used: ["minute", "used"],
  day_opened_at: ["day", "openedAtMs"],
  day_used: ["day", "used"],
  strikes: ["banRecord", "strikes"],
  strikes_since: ["banRecord", "strikesSinceMs"],
  banned_at: ["banRecord", "bannedAtMs"],
  banned_until: ["banRecord", "bannedUntilMs"],
  bans_in_a_row: ["banRecord", "bansInARow"],
} as const satisfies Record<string, TallyNumber>;

export const FIELD_NAMES = Object.keys(FIELDS);
const NUMBERS = Object.values(FIELDS);

/** The kinds of verdict, as the numbers that the script returns. */
const KINDS = ["pass", "exhausted", "banned"] as const satisfies readonly Verdict["kind"][];

/** Literals instead of arguments: every call would pay for arguments. */
const CONSTANTS = `
local MINUTE, DAY, BAN_MEMORY = ${MINUTE.lengthMs}, ${DAY.lengthMs}, ${BAN_MEMORY_MS}
local BAN_LADDER = { ${BAN_LADDER_MS.join(", ")} }
local FIELDS = { ${FIELD_NAMES.map((name) => `'${name}'`).join(", ")} }
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
  /** False: nothing is judged or counted, the strikes are only added. */
  readonly isRequest: boolean;
  /** Absent: the time is Redis's own. */
  readonly nowMs: number | undefined;
}

export interface JudgeAnswer {
  readonly verdict: Verdict;
  /** What is counted now. */
  readonly tally: Tally;
}

/** The braces make a cluster choose the node by the subject alone. */
export const keyOf = (subject: string): string => `animal-store:{${subject}}`;

/** The script's ARGV. */
export const argumentsOf = ({ policy, strikes, isRequest, nowMs }: JudgeCall): (string | number)[] => [
  policy.perMinute,
  policy.perDay ?? 0,
  policy.strikesToBan ?? 0,
  policy.pardonedAtMs,
  strikes?.count ?? 0,
  strikes?.sinceMs ?? 0,
  isRequest ? 1 : 0,
  nowMs ?? "",
];

/** The numbers that the script returns, as a verdict and the tally that it rests on. */
export function readAnswer(answer: readonly number[], policy: RatePolicy): JudgeAnswer {
  const [kindNumber, nowMs, strikesLeft, isNew, ...fields] = answer as [number, number, number, number, ...number[]];
  const tally = tallyOf(fields);
  const standing = standingOf(tally, policy, nowMs);
  const kind = KINDS[kindNumber] as Verdict["kind"];
  if (kind === "pass") return { tally, verdict: { kind, standing } };
  if (kind === "banned") return { tally, verdict: { kind, standing, isNew: isNew === 1 } };
  return { tally, verdict: { kind, standing, strikesLeft: strikesLeft < 0 ? undefined : strikesLeft } };
}

/** A tally from the values of its fields, in the order of their names. A field that Redis does not have is null: 0. */
export function tallyOf(values: readonly (number | string | null)[]): Tally {
  const tally = newTally();
  NUMBERS.forEach(([part, name], i) => {
    (tally[part] as unknown as Record<string, number>)[name] = Number(values[i]);
  });
  return tally;
}
