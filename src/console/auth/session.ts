import {
  hasEnded,
  isPlausibleConsoleSecret,
  newSessionSecret,
  prolongedUntilMs,
  SESSION_LASTS_MS,
} from "../../domain/console-session.ts";
import { digestOf } from "../../domain/keys/key.ts";
import { newSessionCookie, type SessionCookie, sessionCookiesIn } from "../../http/pages/console/session-cookie.ts";
import { type Store, StoreUnavailable } from "../../store/ports/store.ts";
import type { SessionView } from "../api/index.ts";
import { BAD_TOKEN, ConsoleFault, MISTYPED_TOKEN } from "../fault.ts";
import type { ConsoleCall, ConsoleHandler, ConsoleParts, SignedIn } from "../handler.ts";
import { authorshipOf } from "../resources/author.ts";
import { clearCookie, setCookie } from "./cookie.ts";

export interface Resumed {
  readonly session: SignedIn;
  readonly cookie: SessionCookie;
  /** True: the cookie has to be prolonged, too. */
  readonly isProlonged: boolean;
}

/** Finds the session of one of these cookies, and prolongs it; undefined: none of them is valid any more. */
export async function resume(parts: ConsoleParts, cookies: readonly SessionCookie[]): Promise<Resumed | undefined> {
  for (const cookie of cookies.length > 1 ? await knownOf(parts, cookies) : cookies) {
    const resumed = await resumeWith(parts, cookie);
    if (resumed) return resumed;
  }
  return undefined;
}

/** However many there are, they cost one query. */
async function knownOf({ store, clock }: ConsoleParts, cookies: readonly SessionCookie[]) {
  const digests = await store.sessions.digests({ nowMs: clock.nowMs() });
  return cookies.filter(({ secret }) => digests.includes(digestOf(secret)));
}

async function resumeWith({ store, clock }: ConsoleParts, cookie: SessionCookie): Promise<Resumed | undefined> {
  const digest = digestOf(cookie.secret);
  const session = await store.sessions.get(digest);
  const nowMs = clock.nowMs();
  if (!session || hasEnded(session, nowMs)) return undefined;
  const expiresAtMs = prolongedUntilMs(session, cookie.secret, nowMs);
  const isProlonged = expiresAtMs !== undefined && (await prolong(store, { digest, expiresAtMs }));
  return { session: { ...session, ...(isProlonged ? { expiresAtMs } : {}), digest }, cookie, isProlonged };
}

/** Returns whether a session that was found a while ago is still there: another request may have ended it since. */
export async function isStillSignedIn({ store, clock }: Pick<ConsoleParts, "store" | "clock">, { digest }: SignedIn) {
  const session = await store.sessions.get(digest);
  return session !== undefined && !hasEnded(session, clock.nowMs());
}

/** Returns false while the store takes no writes: the session goes on, and is prolonged later. */
const prolong = ({ sessions }: Store, session: { digest: string; expiresAtMs: number }): Promise<boolean> =>
  sessions.prolong(session).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    },
  );

/** Exchanges the token of a link for a session: 204 with the cookie. */
export async function signIn(
  { store, clock, settings, log }: ConsoleParts,
  { form, request, caller }: ConsoleCall,
): Promise<Response | ConsoleFault> {
  const sent = await form();
  if (sent instanceof ConsoleFault) return sent;
  const token = (sent as { readonly token?: unknown } | null)?.token;
  if (typeof token !== "string")
    return new ConsoleFault(400, "missing_field", "The sign-in token is missing. Open the whole link.", {
      field: "token",
    });
  if (!isPlausibleConsoleSecret(token)) return MISTYPED_TOKEN;
  const atMs = clock.nowMs();
  const secret = newSessionSecret(atMs);
  const session = await store.sessions.signIn({
    linkDigest: digestOf(token),
    atMs,
    digest: digestOf(secret),
    expiresAtMs: atMs + SESSION_LASTS_MS,
  });
  if (!session) return BAD_TOKEN;
  const { address, requestId } = caller;
  log.info({ name: session.name, role: session.role, address, requestId }, "console: signed in");
  // The browser's own header comes first: a proxy may end TLS without telling us.
  const cookie = newSessionCookie(request.headers.get("origin") ?? caller.origin, secret);
  return new Response(null, { status: 204, headers: { "Set-Cookie": setCookie(cookie, settings.base) } });
}

export const showSession: ConsoleHandler = ({ settings, clock }, session, { caller }): SessionView => ({
  name: session.name,
  role: session.role,
  expiresAtMs: session.expiresAtMs,
  environment: settings.environment,
  version: settings.version,
  publicUrl: settings.publicUrl ?? `${(settings.isApart ? undefined : caller.origin) ?? settings.apiOrigin}/v1`,
  nowMs: clock.nowMs(),
  uploadMaxBytes: settings.uploadMaxBytes ?? null,
});

export const signOut: ConsoleHandler = async (parts, session, call) => {
  await parts.store.sessions.signOut(session);
  return signedOut(parts, session, call);
};

export const signOutEverywhere: ConsoleHandler = async (parts, session, call) => {
  await parts.store.sessions.signOutAll(authorshipOf(parts, session));
  return signedOut(parts, session, call);
};

const signedOut: (...args: Parameters<ConsoleHandler>) => Response = (
  { settings },
  { digest },
  { request, caller },
) => {
  const ended = sessionCookiesIn(request, caller.origin).filter(({ secret }) => digestOf(secret) === digest);
  const cookies = ended.map((each): [string, string] => ["Set-Cookie", clearCookie(each, settings.base)]);
  return new Response(null, { status: 204, headers: cookies });
};
