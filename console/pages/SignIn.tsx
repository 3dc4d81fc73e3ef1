import { useEffect } from "preact/hooks";
import { Dialog } from "../components/dialogs/Dialog.tsx";
import { CopyButton } from "../components/forms/CopyButton.tsx";
import { Brand } from "../components/layout/Frame.tsx";
import { Toasts } from "../components/Toasts.tsx";
import { findSession, type Outside } from "../session.ts";

const COMMAND = "npx animal-store console";

/** There are no passwords: a command makes links, and a link signs in. */
export function SignIn({ state }: { readonly state: Outside }) {
  useEffect(() => {
    const before = document.title;
    document.title = "Sign in · Animal Store";
    return () => {
      document.title = before;
    };
  }, []);
  useEffect(() => {
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
  const title = state.kind === "out" ? "Sign in" : "Service unreachable";
  const content = state.kind === "out" ? <HowTo state={state} /> : <Unreachable state={state} />;
  if (state.kept)
    return (
      <Dialog title={title} isKept isCover onClose={() => {}}>
        {content}
      </Dialog>
    );
  return (
    <main class="sign-in">
      <div class="sign-in-body">
        <Brand />
        <h1>{title}</h1>
        {content}
      </div>
      <Toasts />
    </main>
  );
}

const HowTo = ({ state: { reason, kept } }: { readonly state: Outside }) => (
  <>
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
    {kept && <p>Open its link in another tab, then come back to this one: what you have typed is still here.</p>}
    <p class="soft">
      It prints a sign-in link that works once and expires after ten minutes. A session ends after 12 hours without use.
    </p>
  </>
);

const Unreachable = ({ state }: { readonly state: Outside }) => (
  <>
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
