import { type Key, stateOf } from "../../domain/keys/key.ts";
import type { ShownKey, WorkingSecret } from "../../keys/queries/show.ts";
import type { KeyUse, WindowUse } from "../../keys/queries/use.ts";
import { formatDuration, formatNumber, formatTime, timeOrNull } from "../terminal/print.ts";
import type { Facts } from "../terminal/table.ts";
import { factsOfKey, jsonOfKey, minuteOrNever } from "./views.ts";

// Everything about a key, for people and for scripts.

export const factsOfShown = ({ key, secrets, use }: ShownKey, nowMs: number): Facts => [
  ...factsOfKey(key),
  ["state", stateSince(key, use.bannedUntilMs, nowMs)],
  ["created", formatTime(key.createdAtMs)],
  ["last used", minuteOrNever(key.lastUsedAtMs)],
  ...factsOfSecrets(key, secrets),
  ["minute quota", usedAndLeft(use.minute)],
  ["day quota", usedAndLeft(use.day)],
  ["bans", bans(use.ladder)],
];

function stateSince(key: Key, bannedUntilMs: number | undefined, nowMs: number): string {
  const state = stateOf(key, nowMs);
  if (state === "revoked") return `revoked at ${formatTime(key.revokedAtMs as number)}`;
  if (state === "expired") return state;
  const words = state === "suspended" ? [`suspended since ${formatTime(key.suspendedAtMs as number)}`] : [];
  if (bannedUntilMs !== undefined) words.push(`banned until ${formatTime(bannedUntilMs)}`);
  return words.join(", ") || state;
}

function factsOfSecrets(key: Key, secrets: readonly WorkingSecret[]): Facts {
  const lines = secrets.map(({ createdAtMs, worksUntilMs }, i) => {
    const parts = [i === 0 ? "current" : "replaced"];
    if (createdAtMs !== undefined) parts.push(`issued ${formatTime(createdAtMs)}`);
    if (i > 0 && worksUntilMs !== undefined)
      parts.push(
        worksUntilMs === key.expiresAtMs ? "works until the key expires" : `works until ${formatTime(worksUntilMs)}`,
      );
    return parts.join(", ");
  });
  return [...(lines.length === 0 ? ["none works"] : lines)].map((line, i) => [i === 0 ? "secrets" : "", line]);
}

const usedAndLeft = ({ used, remaining, resetsAtMs }: WindowUse): string => {
  const use = `${formatNumber(used)} used, ${formatNumber(remaining)} left`;
  return resetsAtMs === undefined ? use : `${use}, resets at ${formatTime(resetsAtMs)}`;
};

function bans({ bansInARow, nextBanMs, forgottenAtMs }: KeyUse["ladder"]): string {
  const length = formatDuration(nextBanMs);
  if (forgottenAtMs === undefined) return `none in a row, the first would last ${length}`;
  return `${bansInARow} in a row, the next would last ${length} (forgotten at ${formatTime(forgottenAtMs)})`;
}

export const jsonOfShown = ({ key, state, secrets, use }: ShownKey, nowMs: number) => ({
  ...jsonOfKey(key, nowMs),
  state,
  minute: jsonOfWindow(use.minute),
  day: jsonOfWindow(use.day),
  bannedUntil: timeOrNull(use.bannedUntilMs),
  bansInARow: use.ladder.bansInARow,
  bansForgottenAt: timeOrNull(use.ladder.forgottenAtMs),
  nextBanSeconds: use.ladder.nextBanMs / 1000,
  secrets: secrets.map(({ createdAtMs, worksUntilMs }) => ({
    createdAt: timeOrNull(createdAtMs),
    worksUntil: timeOrNull(worksUntilMs),
  })),
});

const jsonOfWindow = ({ used, remaining, resetsAtMs }: WindowUse) => ({
  used,
  remaining,
  resetsAt: timeOrNull(resetsAtMs),
});
