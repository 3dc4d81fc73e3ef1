import {
  type Authorship,
  entryOfChange,
  type JournalContent,
  type JournalSubject,
  type NewJournalEntry,
} from "../journal.ts";
import type { Key } from "./key.ts";

// What a person does to a key: the key after it, and what the journal says about it.

/** A key that is revoked already stays so since when it was; likewise one that is suspended. */
export const revokedKey = (key: Key, atMs: number): Key => ({ ...key, revokedAtMs: key.revokedAtMs ?? atMs });
export const suspendedKey = (key: Key, atMs: number): Key => ({ ...key, suspendedAtMs: key.suspendedAtMs ?? atMs });
export const resumedKey = (key: Key): Key => ({ ...key, suspendedAtMs: undefined });
export const pardonedKey = (key: Key, atMs: number): Key => ({ ...key, pardonedAtMs: atMs });

/** The entry about a key that was issued, changed or deleted; undefined if nothing is different. */
export function entryOfKey(
  action: string,
  author: Authorship,
  before: Key | undefined,
  after: Key | undefined,
): NewJournalEntry | undefined {
  const known = before ?? after;
  if (known === undefined) return undefined;
  return entryOfChange(action, author, subjectOf(known), before && contentOfKey(before), after && contentOfKey(after));
}

/** A secret is no part of the key itself, and never of the journal: what is noted is how long the old ones work. */
export function entryOfRotation(
  key: Key,
  { by, via, atMs }: Authorship,
  oldSecretsExpireAtMs: number,
): NewJournalEntry {
  const endMs = Math.min(oldSecretsExpireAtMs, key.expiresAtMs ?? oldSecretsExpireAtMs);
  const after = { oldSecretsWorkUntil: isoOf(endMs) };
  return { by, via, atMs, action: "keys rotate", subject: subjectOf(key), after };
}

const subjectOf = ({ id, name }: Key): JournalSubject => ({ kind: "key", id, name });

/** Without its id, which never changes, and when it was last used, which nobody changes. */
export const contentOfKey = (key: Key): JournalContent => ({
  name: key.name,
  plan: key.plan,
  perMinute: key.quotas.perMinute,
  perDay: key.quotas.perDay,
  scopes: key.scopes,
  createdAt: isoOf(key.createdAtMs),
  expiresAt: isoOf(key.expiresAtMs),
  suspendedAt: isoOf(key.suspendedAtMs),
  revokedAt: isoOf(key.revokedAtMs),
  bansLiftedAt: isoOf(key.pardonedAtMs),
});

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
