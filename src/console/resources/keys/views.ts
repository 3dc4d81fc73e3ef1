import type { ListedKey } from "../../../keys/queries/list.ts";
import type { ShownKey } from "../../../keys/queries/show.ts";
import type { WindowUse } from "../../../keys/queries/use.ts";
import type { KeyRowView, KeyView, WindowView } from "../../api/index.ts";

// Views of keys.

export const windowView = ({ quota, used, resetsAtMs }: WindowUse): WindowView => ({
  quota,
  used,
  resetsAtMs: resetsAtMs ?? null,
});

/** `today`: undefined if it is counted in Redis, which does not answer. */
export const keyRowView = ({ key, state, bannedUntilMs }: ListedKey, today: WindowUse | undefined): KeyRowView => ({
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
    ...keyRowView({ key, state, bannedUntilMs: use.bannedUntilMs }, today),
    quotas: key.quotas,
    mayRotate: key.mayRotate,
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
