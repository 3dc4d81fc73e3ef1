import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "../../components/forms/CopyButton.tsx";
import { guardLeaving } from "../../router.ts";

interface SecretProps {
  readonly secret: string;
  /** Additional notes. */
  readonly children?: ComponentChildren;
  readonly onDone: () => void;
}

/** Shows a secret once, and guards against leaving the page by accident. */
export function Secret({ secret, children, onDone }: SecretProps) {
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    const unguard = guardLeaving(() => false);
    return () => {
      removeEventListener("beforeunload", warn);
      unguard();
    };
  }, []);
  return (
    <>
      <p class="notice" role="status">
        <span>
          <b>Copy the secret now.</b> It is shown only once: the store keeps only a digest of it.
        </span>
      </p>
      <div class="secret">
        <input
          type="text"
          readOnly
          value={secret}
          aria-label="Secret"
          spellcheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={secret} what="secret" onCopied={() => setSaved(true)} />
      </div>
      {children}
      <label class="choice">
        <input type="checkbox" checked={isSaved} onChange={() => setSaved(!isSaved)} />I have saved the secret
      </label>
      <div class="dialog-buttons">
        <button type="button" class="is-main" disabled={!isSaved} onClick={onDone}>
          Done
        </button>
      </div>
    </>
  );
}
