import type { Key } from "../../domain/keys/key.ts";
import type { ShownKey } from "../../keys/queries/show.ts";
import type { TrueState, WindowUse } from "../../keys/queries/use.ts";
import type { KeyRowView, KeyView, WindowView } from "../api/index.ts";

// Views of keys.

export const windowView = ({ quota, used, resetsAtMs }: WindowUse): WindowView => ({
  quota,
  used,
  resetsAtMs: resetsAtMs ?? null,
});

interface KeyRow {
  readonly key: Key;
  readonly state: TrueState;
  readonly bannedUntilMs: number | undefined;
  /** Undefined: counted in Redis, which does not answer. */
  readonly today: WindowUse | undefined;
}

export const keyRowView = ({ key, state, bannedUntilMs, today }: KeyRow): KeyRowView => ({
  id: key.id,
  name: key.name,
  plan: key.plan,
  scopes: key.scopes,
  state,
  bannedUntilMs: bannedUntilMs ?? null,
  expiresAtMs: key.expiresAtMs ?? null,
  lastUsedAtMs: key.lastUsedAtMs ?? null,
  today: today ? windowView(today) : null,
});

/** Leaves the counters out if they are not known. */
export function keyView({ key, state, secrets, use }: ShownKey, isCountKnown: boolean): KeyView {
  const { bansInARow, nextBanMs, forgottenAtMs } = use.ladder;
  const today = isCountKnown ? use.day : undefined;
  return {
    ...keyRowView({ key, state, bannedUntilMs: use.bannedUntilMs, today }),
    quotas: key.quotas,
    createdAtMs: key.createdAtMs,
    suspendedAtMs: key.suspendedAtMs ?? null,
    revokedAtMs: key.revokedAtMs ?? null,
    minute: isCountKnown ? windowView(use.minute) : null,
    bans: isCountKnown
      ? { inARow: bansInARow, nextBanMs, forgottenAtMs: forgottenAtMs ?? null, strikesLeft: use.strikesLeft }
      : null,
    secrets: secrets.map(({ createdAtMs, worksUntilMs }) => ({
      createdAtMs: createdAtMs ?? null,
      worksUntilMs: worksUntilMs ?? null,
    })),
  };
}
