import { useRef, useState } from "preact/hooks";
import { type AskFailure, ask, failureOf } from "./ask.ts";
import { Failed, useIsLimited } from "./Failed.tsx";
import { forgotten, hold } from "./held-key.ts";
import type { OwnKey } from "./wire.ts";

/** Asks for a key. There is no form: nothing may be submitted, or offered to be saved. */
export function EnterKey() {
  const input = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const isLimited = useIsLimited(failure);

  async function open(): Promise<void> {
    const secret = input.current?.value.trim() ?? "";
    if (isAsking || isLimited || secret === "") return input.current?.focus();
    setAsking(true);
    try {
      hold(secret, await ask<OwnKey>(secret, "/key"));
    } catch (error) {
      setFailure(failureOf(error));
      setAsking(false);
      input.current?.focus();
    }
  }

  return (
    <div class="account-entry">
      <h1>Your key</h1>
      <p>See what your API key may do, what is left of its quotas, and what became of its requests.</p>
      {failure ? (
        <Failed failure={failure} />
      ) : (
        forgotten.value !== undefined && (
          <p class="notice" role="status">
            {forgotten.value}
          </p>
        )
      )}
      <label class="field">
        <span>API key</span>
        <input
          ref={input}
          type="password"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="ask_…"
          onKeyDown={(event) => {
            if (event.key === "Enter") void open();
          }}
        />
      </label>
      <div>
        <button type="button" class="is-main" aria-disabled={isAsking || isLimited} onClick={() => void open()}>
          {isAsking ? "Looking…" : "Show my key"}
        </button>
      </div>
      <p class="soft small">
        The key stays in the memory of this page. It is sent to this service alone, and forgotten when you leave the
        page, and after 15 minutes without use. What this page asks counts against the key's quotas.
      </p>
    </div>
  );
}
