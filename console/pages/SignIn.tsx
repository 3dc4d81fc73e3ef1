import { useEffect } from "preact/hooks";
import { CopyButton } from "../components/forms/CopyButton.tsx";
import { Brand } from "../components/layout/Frame.tsx";
import { Toasts } from "../components/Toasts.tsx";
import { findSession, type Session } from "../session.ts";

const COMMAND = "npx animal-store console";

type Outside = Extract<Session, { kind: "out" | "unreachable" }>;

/** Nobody types a password here: a link signs in, and a command makes links. */
export function SignIn({ state }: { readonly state: Outside }) {
  useEffect(() => {
    document.title = "Sign in · Animal Store";
    // Signed in meanwhile, in another tab: this one goes on where it was.
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
    <p>On the host of the service, in its folder, run:</p>
    <div class="command">
      <code>{COMMAND}</code>
      <CopyButton text={COMMAND} what="command" />
    </div>
    <p class="soft">
      It prints a link that signs you in. The link works once, for ten minutes; a session lasts 12 hours from its last
      use.
    </p>
  </>
);

const Unreachable = ({ state }: { readonly state: Outside }) => (
  <>
    <h1>No answer</h1>
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
