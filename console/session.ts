import { signal } from "@preact/signals";
import type { SessionView, SignIn } from "../src/console/api/index.ts";
import type { Role, Roles } from "../src/domain/console-role.ts";
import { call, isSignedOut, sentenceOf, whenSignedOut } from "./api.ts";
import { forgetAskedPage, rememberAskedPage, takeAskedPage } from "./asked-page.ts";
import { setClock } from "./clock.ts";
import { finishBeforeLeaving } from "./leaving.ts";
import { forgetAll, pollAll } from "./live.ts";
import { address, navigate } from "./router.ts";

// The session. A sign-in link has a token in its fragment, which reaches no log; it is exchanged for a session at once,
// and removed from the address.

export type Session = { readonly kind: "starting" } | { readonly kind: "in"; readonly view: SessionView } | Outside;

export interface Outside {
  readonly kind: "out" | "unreachable";
  /** Undefined if the user has not tried to sign in. */
  readonly reason: string | undefined;
  /** The session whose page stays behind the sign-in page, because something on it is not finished. */
  readonly kept: SessionView | undefined;
}

export const session = signal<Session>({ kind: "starting" });

/** The role of the person whose page is shown, also behind the sign-in page. */
export function currentRole(): Role | undefined {
  const state = session.value;
  if (state.kind === "starting") return undefined;
  return (state.kind === "in" ? state.view : state.kept)?.role;
}

/** True if the server would let this person do it: pages hide the rest, and the server refuses it. */
export function may(roles: Roles): boolean {
  const role = currentRole();
  return role !== undefined && roles.includes(role);
}

/** The address of the API for clients, which ends in /v1. */
export const addressOfApi = (): string => (session.value.kind === "in" ? session.value.view.publicUrl : "");

/** The only anchor within a page. */
const SKIP_LINK = "#page";

/** The token in the fragment of a sign-in link, "#token=…", which may be mistyped; undefined if there is none. */
export const tokenIn = (fragment: string): string | undefined =>
  ["", "#", SKIP_LINK].includes(fragment) ? undefined : fragment.replace(/^#(?:token=)?/, "");

export async function startSession(): Promise<void> {
  whenSignedOut(() => {
    if (session.value.kind !== "in") return;
    rememberAskedPage();
    endSession("Your session has ended.", isUnfinished() ? session.value.view : undefined);
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
    // The person before may have been another one, who may see more.
    forgetAll();
    await findSession(undefined);
    const asked = takeAskedPage();
    if (asked !== undefined && address.value.path === "") navigate(asked, { isReplacing: true });
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
    pollAll();
  } catch (error) {
    const kept = "kept" in session.value ? session.value.kept : undefined;
    if (isSignedOut(error)) {
      if (session.value.kind === "starting") rememberAskedPage();
      session.value = { kind: "out", reason, kept };
    } else session.value = { kind: "unreachable", reason: sentenceOf(error), kept };
  }
}

/** A form may be half filled in, and the secret in a dialog is shown only once. */
const isUnfinished = (): boolean => document.querySelector("form, dialog[open]") !== null;

function endSession(reason: string, kept: SessionView | undefined): void {
  forgetAll();
  session.value = { kind: "out", reason, kept };
}

export async function signOut({ isEverywhere }: { readonly isEverywhere: boolean }): Promise<void> {
  await finishBeforeLeaving();
  await call(isEverywhere ? "/sessions" : "/session", { method: "DELETE" });
  // The page may have polled meanwhile and learned that its session has ended: the reason is better known here.
  forgetAskedPage();
  endSession(isEverywhere ? "You have signed out everywhere." : "You have signed out.", undefined);
}
