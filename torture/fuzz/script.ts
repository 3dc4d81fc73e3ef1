import { Random } from "../common/random.ts";
import { mutated, noise } from "./mutation.ts";
import { type FuzzRequest, oddRequest, soundRequest, stalledRequest } from "./requests.ts";
import { below } from "./values.ts";

export type ScriptKind = "sound" | "odd" | "mutated" | "noise" | "cut" | "stalled";

/** The bytes that one connection sends, and the responses that they call for. */
export interface Script {
  readonly number: number;
  readonly kind: ScriptKind;
  /** The requests that must be answered, in this order. */
  readonly due: readonly FuzzRequest[];
  /** Sent one after another, each once all responses due before it have arrived. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** Each piece is written at once, with a short pause before the next. */
  readonly pieces: readonly Uint8Array[];
  /** The total number of responses due after this turn. */
  readonly answersDue: number;
}

const KINDS: readonly (readonly [ScriptKind, number])[] = [
  ["sound", 0.6],
  ["odd", 0.15],
  ["mutated", 0.15],
  ["noise", 0.05],
  ["cut", 0.049],
  ["stalled", 0.001],
];

/** Depends only on the seed and the number, so that a run, or one connection of it, can be reproduced. */
export function scriptOf(seed: number, number: number): Script {
  const random = Random.of(seed, number);
  const kind = kindOf(random);
  const requests = Array.from({ length: random.chance(0.6) ? 1 : 1 + below(random, 8) }, () => soundRequest(random));
  if (kind === "sound") return { number, kind, due: requests, turns: turnsOf(random, requests) };
  const stalled = kind === "stalled" ? [stalledRequest(random)] : [];
  const bytes = kind === "stalled" ? bytesOf(stalled) : brokenBytes(random, kind, requests);
  return { number, kind, due: stalled, turns: [{ pieces: split(random, bytes), answersDue: stalled.length }] };
}

function kindOf(random: Random): ScriptKind {
  let left = random.float();
  for (const [kind, share] of KINDS) {
    left -= share;
    if (left < 0) return kind;
  }
  return "sound";
}

function brokenBytes(random: Random, kind: ScriptKind, requests: readonly FuzzRequest[]): Uint8Array {
  const sound = bytesOf(requests);
  if (kind === "odd") return bytesOf([...(random.chance(0.3) ? requests : []), oddRequest(random)]);
  if (kind === "mutated") return mutated(random, sound, soundRequest(random).bytes);
  if (kind === "noise") return noise(random);
  return sound.subarray(0, below(random, sound.length));
}

/** Pipelines the requests that are answered immediately. */
function turnsOf(random: Random, requests: readonly FuzzRequest[]): Turn[] {
  const turns: Turn[] = [];
  let from = 0;
  for (const [i, { isAnsweredLater }] of requests.entries()) {
    const answersDue = i + 1;
    if (!isAnsweredLater && answersDue < requests.length && random.chance(0.8)) continue;
    turns.push({ pieces: split(random, bytesOf(requests.slice(from, answersDue))), answersDue });
    from = answersDue;
  }
  return turns;
}

const bytesOf = (requests: readonly FuzzRequest[]): Uint8Array => Buffer.concat(requests.map(({ bytes }) => bytes));

/** Splits some into pieces, because a server must not depend on packet boundaries. */
function split(random: Random, bytes: Uint8Array): Uint8Array[] {
  if (random.chance(0.7)) return [bytes];
  const places = Array.from({ length: 1 + below(random, 6) }, () => below(random, bytes.length + 1)).sort(
    (a, b) => a - b,
  );
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
}
