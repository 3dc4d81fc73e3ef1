import type { Awaitable } from "../../base/time/awaitable.ts";
import type { ConsoleSession, SignedOut } from "../../domain/console-session.ts";
import type { Authorship } from "../../domain/journal.ts";

/** One-time links into the console, and the sessions of those who are signed in. Callers check their expiry. */
export interface SessionStore {
  /** Stores a link. The journal records who made it, and for whom. */
  makeLink(link: NewConsoleLink): Promise<void>;
  /** Exchanges a link for a session, once, with a journal entry. Returns undefined if the link is unknown, used or expired. */
  signIn(signIn: ConsoleSignIn): Promise<ConsoleSession | undefined>;
  /** Returns the session with this digest, or undefined if there is none, or one with an unknown role. */
  get(digest: string): Awaitable<ConsoleSession | undefined>;
  /** Returns the digests of all sessions that end later than now. */
  digests(time: { readonly nowMs: number }): Awaitable<readonly string[]>;
  /** Moves the end of a session to a later time, never to an earlier one. A session that was ended stays ended. */
  prolong(session: { readonly digest: string; readonly expiresAtMs: number }): Promise<void>;
  /** Ends a session. An unknown one is ignored. */
  signOut(session: { readonly digest: string }): Promise<void>;
  /** Ends all sessions and links, with a journal entry. Returns how many sessions there were. */
  signOutAll(author: Authorship): Promise<number>;
  /** Ends the sessions and links of one person, with a journal entry, unless there were none. Returns how many there were. */
  signOutOf(request: SignOutOf): Promise<SignedOut>;
}

export interface SignOutOf {
  /** The name as the link had it. */
  readonly name: string;
  readonly author: Authorship;
}

/** The role is that of the person whom the link is for: only commands make links, and their authors have none. */
export interface NewConsoleLink extends Omit<Authorship, "role">, ConsoleSession {
  /** Digest of its token. */
  readonly digest: string;
}

export interface ConsoleSignIn {
  /** Digest of the link's token. */
  readonly linkDigest: string;
  readonly atMs: number;
  /** Digest of the new session's token. */
  readonly digest: string;
  readonly expiresAtMs: number;
}
