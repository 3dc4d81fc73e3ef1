import { signal } from "@preact/signals";
import type { SessionView, SignIn } from "../src/console/api/index.ts";
import { call, Failure, sentenceOf, whenSignedOut } from "./api.ts";
import { setClock } from "./clock.ts";
import { finishBeforeLeaving } from "./leaving.ts";
import { forgetAll } from "./live.ts";

// The session. A sign-in link has a token in its fragment, which reaches no server and no log; it is exchanged for a
// session at once, and removed from the address.

export type Session =
  | { readonly kind: "starting" }
  | { readonly kind: "in"; readonly view: SessionView }
  /** The reason is undefined if the user has not tried to sign in. */
  | { readonly kind: "out"; readonly reason: string | undefined }
  | { readonly kind: "unreachable"; readonly reason: string };

export const session = signal<Session>({ kind: "starting" });

/** The token in the fragment of a sign-in link, "#token=…"; undefined if there is none. */
export function tokenIn(fragment: string): string | undefined {
  const text = fragment.replace(/^#/, "");
  const token = text.startsWith("token=") ? text.slice("token=".length) : text;
  // Anchors within a page, such as that of the skip link, are not tokens.
  return /^[\w-]{16,}$/.test(token) ? token : undefined;
}

export async function startSession(): Promise<void> {
  whenSignedOut(() => {
    if (session.value.kind === "in") endSession("Your session has ended.");
  });
  addEventListener("hashchange", () => void exchangeToken());
  await exchangeToken();
}

/** Exchanges the token in the address, if any, and loads the session. */
async function exchangeToken(): Promise<void> {
  const token = tokenIn(location.hash);
  if (token === undefined) return session.value.kind === "in" ? undefined : await findSession(undefined);
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await call("/session", { method: "POST", body: { token } satisfies SignIn, isSigningIn: true });
    await findSession(undefined);
  } catch (error) {
    // A signed-in user who follows a link for the second time just stays signed in.
    await findSession(sentenceOf(error));
  }
}

/** Loads the session from the server. If there is none, `reason` says why. */
export async function findSession(reason: string | undefined): Promise<void> {
  try {
    const view = await call<SessionView>("/session");
    setClock(view.nowMs);
    session.value = { kind: "in", view };
  } catch (error) {
    if (error instanceof Failure && error.status === 401) session.value = { kind: "out", reason };
    else session.value = { kind: "unreachable", reason: sentenceOf(error) };
  }
}

function endSession(reason: string): void {
  forgetAll();
  session.value = { kind: "out", reason };
}

export async function signOut({ isEverywhere }: { readonly isEverywhere: boolean }): Promise<void> {
  await finishBeforeLeaving();
  await call(isEverywhere ? "/sessions" : "/session", { method: "DELETE" });
  // The page may have polled meanwhile and learned that its session has ended: the reason is better known here.
  endSession(isEverywhere ? "You have signed out everywhere." : "You have signed out.");
}
