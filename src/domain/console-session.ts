import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../base/time/clock.ts";
import type { Role } from "./console-role.ts";
import { type Authorship, entryOfStore, type NewJournalEntry } from "./journal.ts";
import { randomBase62 } from "./keys/key.ts";

// A person signs in to the console by a link with a token, which one browser exchanges for a session, once. The store
// keeps digests of both, which `digestOf` makes.

/** The time for which a link can be used. */
export const LINK_LASTS_MS = 10 * MINUTE_MS;
/** The time for which a session lasts after its latest request. */
export const SESSION_LASTS_MS = 12 * HOUR_MS;
/** The time after which a session ends, however much it is used. */
export const SESSION_LASTS_AT_MOST_MS = 30 * DAY_MS;
/** A session is prolonged this often at most, so that not every request writes. */
const PROLONGED_EVERY_MS = MINUTE_MS;

export interface ConsoleSession {
  /** The person that the link was made for, as the journal names them. */
  readonly name: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

const CHARACTERS = 43;
const BEGINNING_CHARACTERS = 7;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${CHARACTERS}}(?:[0-9a-z]{${BEGINNING_CHARACTERS}})?$`);

/** A new token of a link: 256 random bits. */
export const newConsoleSecret = (): string => randomBase62(CHARACTERS);

/** A new token of a session, which ends in the second of its beginning: no one can change it, as the digest covers it. */
export const newSessionSecret = (nowMs: number): string =>
  newConsoleSecret() +
  Math.floor(nowMs / SECOND_MS)
    .toString(36)
    .padStart(BEGINNING_CHARACTERS, "0");

/** When the session with this token began; NaN if the token does not tell. */
const beginningIn = (secret: string): number => Number.parseInt(secret.slice(CHARACTERS), 36) * SECOND_MS;

/** Tells a token, by its form, from a text that need not be looked up. */
export const isPlausibleConsoleSecret = (text: string): boolean => SHAPE.test(text);

type Ending = Pick<ConsoleSession, "expiresAtMs">;

export const hasEnded = ({ expiresAtMs }: Ending, nowMs: number): boolean => nowMs >= expiresAtMs;

/** The new end of a session that is used now; undefined if the end that is stored is close enough, or the last one. */
export function prolongedUntilMs({ expiresAtMs }: Ending, secret: string, nowMs: number): number | undefined {
  const untilMs = Math.min(nowMs + SESSION_LASTS_MS, beginningIn(secret) + SESSION_LASTS_AT_MOST_MS);
  return untilMs - expiresAtMs >= PROLONGED_EVERY_MS ? untilMs : undefined;
}

/** The entry about a link that was made for somebody. Its role is theirs, and not that of the author. */
export const entryOfLink = ({ by, via, atMs, ...link }: Omit<Authorship, "role"> & ConsoleSession): NewJournalEntry =>
  entryOfStore(
    "console",
    { by, via, atMs },
    {
      after: { for: link.name, role: link.role, linkWorksUntil: new Date(link.expiresAtMs).toISOString() },
    },
  );

/** The entry about somebody who has signed in. It has no address: the journal is kept for ever. */
export const entryOfSignIn = ({ name, role }: Pick<ConsoleSession, "name" | "role">, atMs: number): NewJournalEntry =>
  entryOfStore("console sign-in", { by: name, via: "console", role, atMs }, {});

/** The entry about everybody being signed out. */
export const entryOfSignOut = (author: Authorship, sessionsEnded: number): NewJournalEntry =>
  entryOfStore("console sign-out", author, { after: { sessionsEnded } });

/** The numbers of sessions and unused links that ended when one person was signed out. */
export interface SignedOut {
  readonly sessions: number;
  readonly links: number;
}

/** The entry about one person being signed out; undefined if nothing has ended. */
export const entryOfSignOutOf = (
  name: string,
  author: Authorship,
  { sessions, links }: SignedOut,
): NewJournalEntry | undefined =>
  sessions + links === 0
    ? undefined
    : entryOfStore("console sign-out", author, {
        after: { for: name, sessionsEnded: sessions, linksEnded: links },
      });
