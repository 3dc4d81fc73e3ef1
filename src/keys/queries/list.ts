import { done, type Result } from "../../base/result.ts";
import { type Key, stateOf } from "../../domain/keys/key.ts";
import type { Plan } from "../../domain/keys/plan.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { KeyStore } from "../../store/ports/store.ts";
import type { KeyContext } from "./context.ts";
import type { CountedInRedis } from "./counters.ts";
import { banEndOf, type TrueState, trueStateOf } from "./use.ts";

/** The keys to list; an undefined filter filters nothing. */
export interface KeyFilter {
  readonly state?: TrueState | undefined;
  readonly plan?: Plan | undefined;
  /** A text in the name or, if it is long enough, in the id, whatever the case. */
  readonly search?: string | undefined;
  /** The whole name. */
  readonly name?: string | undefined;
}

/** The name as it is compared: an accent may be typed in two ways, which look the same. */
export const comparedName = (name: string): string => name.trim().normalize();

export interface ListedKey {
  readonly key: Key;
  readonly state: TrueState;
  /** Set only if the state is banned. */
  readonly bannedUntilMs: number | undefined;
}

export interface KeyList {
  /** Oldest first. */
  readonly keys: readonly ListedKey[];
  /** False: an active key may be banned, because bans are in Redis, and its address is not known. */
  readonly areBansKnown: boolean;
  /** The number of all keys, whatever the filter. */
  readonly total: number;
}

interface Parts extends Pick<KeyContext, "counters" | "clock"> {
  readonly keys: Pick<KeyStore, "list">;
}

/** Lists keys. Refused only if the filter names a state that cannot be known. */
export async function listKeys(
  { keys, counters, clock }: Parts,
  { state: wantedState, plan, search, name }: KeyFilter,
): Promise<Result<KeyList, CountedInRedis>> {
  const all = await keys.list();
  const nowMs = clock.nowMs();
  const folded = search === undefined ? undefined : fold(search);
  const named = name === undefined ? undefined : comparedName(name);
  const isWanted = (key: Key): boolean =>
    (plan === undefined || key.plan === plan) &&
    (named === undefined || comparedName(key.name) === named) &&
    isLike(key, folded);
  const wanted = all.filter(isWanted);
  const mayBeBanned = wanted.filter((key) => stateOf(key, nowMs) === "active").map(({ id }) => id);
  const countedFor = await counters();
  if (countedFor.kind === "refused" && (wantedState === "active" || wantedState === "banned")) return countedFor;
  const tallies = countedFor.kind === "done" ? await countedFor.value(mayBeBanned) : undefined;
  const listed = wanted.map((key): ListedKey => {
    const bannedUntilMs = banEndOf(key, tallies?.get(key.id), nowMs);
    const state = trueStateOf(key, bannedUntilMs, nowMs);
    return { key, state, bannedUntilMs: state === "banned" ? bannedUntilMs : undefined };
  });
  return done({
    keys: listed.filter(({ state }) => wantedState === undefined || state === wantedState),
    areBansKnown: tallies !== undefined,
    total: all.length,
  });
}

/** Shorter texts occur in many ids by chance. */
const ID_PART_MIN = 4;

const isLike = ({ id, name }: Key, folded: string | undefined): boolean =>
  folded === undefined || fold(name).includes(folded) || (folded.length >= ID_PART_MIN && fold(id).includes(folded));
