import { HOUR_MS, MINUTE_MS } from "../base/time/clock.ts";
import { type Authorship, entryOfStore, type NewJournalEntry } from "./journal.ts";
import { randomBase62 } from "./keys/key.ts";

// How a person gets into the console: a link with a token, which one browser exchanges for a session, once. The store
// keeps digests of both, which `digestOf` makes.

/** How long a link can be used. */
export const LINK_LASTS_MS = 10 * MINUTE_MS;
/** How long a session lasts after the last request that is made in it. */
export const SESSION_LASTS_MS = 12 * HOUR_MS;
/** A session is prolonged this often at most: not every request should write. */
const PROLONGED_EVERY_MS = MINUTE_MS;

export interface ConsoleSession {
  /** Who the link was made for: the journal names them. */
  readonly name: string;
  readonly expiresAtMs: number;
}

const CHARACTERS = 43;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${CHARACTERS}}$`);

/** What is secret about a link, or about a session: 256 random bits. */
export const newConsoleSecret = (): string => randomBase62(CHARACTERS);

/** Whether a text is worth looking up. */
export const isPlausibleConsoleSecret = (text: string): boolean => SHAPE.test(text);

export const hasEnded = ({ expiresAtMs }: Pick<ConsoleSession, "expiresAtMs">, nowMs: number): boolean =>
  nowMs >= expiresAtMs;

/** When a session ends that was used now; undefined: that is noted closely enough. */
export function prolongedUntilMs({ expiresAtMs }: ConsoleSession, nowMs: number): number | undefined {
  const untilMs = nowMs + SESSION_LASTS_MS;
  return untilMs - expiresAtMs >= PROLONGED_EVERY_MS ? untilMs : undefined;
}

/** The entry about a link that was made for somebody. */
export const entryOfLink = (link: Authorship & ConsoleSession): NewJournalEntry =>
  entryOfStore("console", link, {
    after: { for: link.name, linkWorksUntil: new Date(link.expiresAtMs).toISOString() },
  });

/** The entry about everybody being signed out. */
export const entryOfSignOut = (author: Authorship, sessionsEnded: number): NewJournalEntry =>
  entryOfStore("console sign-out", author, { after: { sessionsEnded } });
