import { useEffect } from "preact/hooks";
import { CopyButton } from "../components/forms/CopyButton.tsx";
import { Brand } from "../components/layout/Frame.tsx";
import { Toasts } from "../components/Toasts.tsx";
import { findSession, type Session } from "../session.ts";

const COMMAND = "npx animal-store console";

type Outside = Extract<Session, { kind: "out" | "unreachable" }>;

/** There are no passwords: a command makes links, and a link signs in. */
export function SignIn({ state }: { readonly state: Outside }) {
  useEffect(() => {
    document.title = "Sign in · Animal Store";
    // If the user has signed in in another tab, this one continues where it was.
    const look = (): void => {
      if (!document.hidden) void findSession(state.reason);
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      removeEventListener("focus", look);
    };
  }, [state.reason]);
  return (
    <main class="sign-in">
      <div class="sign-in-body">
        <Brand />
        {state.kind === "out" ? <HowTo reason={state.reason} /> : <Unreachable state={state} />}
      </div>
      <Toasts />
    </main>
  );
}

const HowTo = ({ reason }: { readonly reason: string | undefined }) => (
  <>
    <h1>Sign in</h1>
    {reason !== undefined && (
      <p class="notice" role="alert">
        {reason}
      </p>
    )}
    <p>On the machine that runs the service, in its folder, run:</p>
    <div class="command">
      <code>{COMMAND}</code>
      <CopyButton text={COMMAND} what="command" />
    </div>
    <p class="soft">
      It prints a sign-in link that works once and expires after ten minutes. A session ends after 12 hours without use.
    </p>
  </>
);

const Unreachable = ({ state }: { readonly state: Outside }) => (
  <>
    <h1>Service unreachable</h1>
    <p class="notice is-problem" role="alert">
      {state.reason}
    </p>
    <p>
      <button type="button" onClick={() => void findSession(undefined)}>
        Try again
      </button>
    </p>
  </>
);
