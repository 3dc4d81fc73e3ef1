import type { Mistake } from "../../base/mistake.ts";
import { mistakeInText } from "../../base/text/text.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Role } from "../../domain/console-role.ts";
import { LINK_LASTS_MS, newConsoleSecret } from "../../domain/console-session.ts";
import { AUTHOR_MAX_CODE_POINTS, type Author } from "../../domain/journal.ts";
import { digestOf } from "../../domain/keys/key.ts";
import type { SessionStore } from "../../store/ports/store.ts";

/** A sign-in link. Its token is known only here: the store has a digest. */
export interface ConsoleLink {
  readonly token: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

interface Parts {
  readonly sessions: Pick<SessionStore, "makeLink">;
  readonly clock: Clock;
  readonly author: Author;
  /** Called with the link before it is stored. If it fails, nothing is stored: the token would be lost. */
  readonly deliver?: (link: ConsoleLink) => Awaitable<void>;
}

/** The mistake in the name of a link's holder; undefined: none. */
export const mistakeInLinkName = (name: string): Mistake | undefined => mistakeInText(name, AUTHOR_MAX_CODE_POINTS);

/** Creates a sign-in link for a person. The journal records their changes under this name, and in this role. */
export async function makeConsoleLink(
  { sessions, clock, author, deliver }: Parts,
  { name, role }: Pick<ConsoleLink, "name" | "role">,
): Promise<ConsoleLink> {
  const atMs = clock.nowMs();
  const link = { token: newConsoleSecret(), name, role, expiresAtMs: atMs + LINK_LASTS_MS };
  await deliver?.(link);
  const { token, ...kept } = link;
  await sessions.makeLink({ ...author, atMs, ...kept, digest: digestOf(token) });
  return link;
}

/** The token is in the fragment, which browsers never send, so no log has it. */
export const addressOfLink = (consoleUrl: string, { token }: Pick<ConsoleLink, "token">): string =>
  `${consoleUrl}#token=${token}`;
