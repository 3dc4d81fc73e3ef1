import {
  type Authorship,
  entryOfChange,
  type JournalAction,
  type JournalContent,
  type JournalSubject,
  type NewJournalEntry,
} from "../journal.ts";
import type { Key, KeyChange } from "./key.ts";

// Changes that a person makes to a key, and what the journal says about each.

/** A key after a change, and the journal entry about it: there is none if nothing is different. */
export interface ChangedKey {
  readonly key: Key;
  readonly entry: NewJournalEntry | undefined;
}

const changed = (action: JournalAction, author: Authorship, before: Key, change: Partial<Key>): ChangedKey => {
  const key = { ...before, ...change };
  const entry = entryOfChange(action, author, subjectOf(before), contentOfKey(before), contentOfKey(key));
  return { key, entry };
};

export const editedKey = (key: Key, change: KeyChange & Authorship): ChangedKey =>
  changed("keys edit", change, key, {
    name: change.name ?? key.name,
    plan: change.plan ?? key.plan,
    quotas: change.quotas ?? key.quotas,
    scopes: change.scopes ?? key.scopes,
    mayRotate: change.mayRotate ?? key.mayRotate,
    expiresAtMs: change.expiresAtMs === undefined ? key.expiresAtMs : (change.expiresAtMs ?? undefined),
  });

/** Revoking again keeps the original time. */
export const revokedKey = (key: Key, author: Authorship): ChangedKey =>
  changed("keys revoke", author, key, { revokedAtMs: key.revokedAtMs ?? author.atMs });

/** Suspending again keeps the original time. */
export const suspendedKey = (key: Key, author: Authorship): ChangedKey =>
  changed("keys suspend", author, key, { suspendedAtMs: key.suspendedAtMs ?? author.atMs });

export const resumedKey = (key: Key, author: Authorship): ChangedKey =>
  changed("keys resume", author, key, { suspendedAtMs: undefined });

export interface Unban extends Authorship {
  /** Start of the latest ban that is lifted, if the clock that wrote it was ahead of the one that lifts it. */
  readonly bannedAtMs?: number | undefined;
  /** No ban is known. It is written for one that a service has not saved yet, and does not enter the journal. */
  readonly liftsNothing?: boolean;
}

export function unbannedKey(key: Key, unban: Unban): ChangedKey {
  const unbanned = changed("keys unban", unban, key, { unbannedAtMs: unban.bannedAtMs ?? unban.atMs });
  return unban.liftsNothing ? { ...unbanned, entry: undefined } : unbanned;
}

export const entryOfNewKey = (author: Authorship, key: Key): NewJournalEntry | undefined =>
  entryOfChange("keys create", author, subjectOf(key), undefined, contentOfKey(key));

export const entryOfDeletedKey = (author: Authorship, key: Key): NewJournalEntry | undefined =>
  entryOfChange("keys delete", author, subjectOf(key), contentOfKey(key), undefined);

/** Secrets never enter the journal: the entry says how long the old ones work. */
export function entryOfRotation(
  key: Key,
  { by, via, role, atMs }: Authorship,
  oldSecretsExpireAtMs: number,
): NewJournalEntry {
  const after = { oldSecretsWorkUntil: isoOf(endOfReplaced(key, oldSecretsExpireAtMs)) };
  return { by, via, role, atMs, action: "keys rotate", subject: subjectOf(key), after };
}

/** Nobody knows who holds a key: the entry names the key itself. */
export const entryOfOwnRotation = (key: Key, atMs: number, oldSecretsExpireAtMs: number): NewJournalEntry =>
  entryOfRotation(key, { by: key.name, via: "key", atMs }, oldSecretsExpireAtMs);

/** When the last replaced secret ends: with its key at the latest. */
export const endOfReplaced = (key: Key, oldSecretsExpireAtMs: number): number =>
  Math.min(oldSecretsExpireAtMs, key.expiresAtMs ?? oldSecretsExpireAtMs);

const subjectOf = ({ id, name }: Key): JournalSubject => ({ kind: "key", id, name });

/** All that a person can change about a key: not its id, nor when it was last used. */
export const contentOfKey = (key: Key): JournalContent => ({
  name: key.name,
  plan: key.plan,
  perMinute: key.quotas.perMinute,
  perDay: key.quotas.perDay,
  scopes: key.scopes,
  // Left out where it is off, as it is unless somebody turns it on.
  rotation: key.mayRotate ? "on" : null,
  createdAt: isoOf(key.createdAtMs),
  expiresAt: isoOf(key.expiresAtMs),
  suspendedAt: isoOf(key.suspendedAtMs),
  revokedAt: isoOf(key.revokedAtMs),
  bansLiftedAt: isoOf(key.unbannedAtMs),
});

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
