import type { Mistake } from "../../base/mistake.ts";
import { mistakeInText } from "../../base/text/text.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import { LINK_LASTS_MS, newConsoleSecret } from "../../domain/console-session.ts";
import { AUTHOR_MAX_CODE_POINTS, type Author } from "../../domain/journal.ts";
import { digestOf } from "../../domain/keys/key.ts";
import type { SessionStore } from "../../store/ports/store.ts";

/** A link into the console: the only time that its token is known. */
export interface ConsoleLink {
  readonly token: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

interface Parts {
  readonly sessions: Pick<SessionStore, "makeLink">;
  readonly clock: Clock;
  readonly author: Author;
  /** Called with the link before it works. If it fails, nothing is changed: nobody would know the token. */
  readonly deliver?: (link: ConsoleLink) => Awaitable<void>;
}

/** What is wrong with the name of whom a link is for; undefined when nothing is. */
export const mistakeInLinkName = (name: string): Mistake | undefined => mistakeInText(name, AUTHOR_MAX_CODE_POINTS);

/** Makes a link for somebody: whatever they change is in the journal under this name. */
export async function makeConsoleLink(
  { sessions, clock, author, deliver }: Parts,
  { name }: { readonly name: string },
): Promise<ConsoleLink> {
  const atMs = clock.nowMs();
  const link = { token: newConsoleSecret(), name, expiresAtMs: atMs + LINK_LASTS_MS };
  await deliver?.(link);
  await sessions.makeLink({ ...author, atMs, name, digest: digestOf(link.token), expiresAtMs: link.expiresAtMs });
  return link;
}

/** In the fragment, which no browser sends and so no log has. */
export const addressOfLink = (consoleUrl: string, { token }: Pick<ConsoleLink, "token">): string =>
  `${consoleUrl}#token=${token}`;
