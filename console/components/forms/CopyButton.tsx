import { useEffect, useState } from "preact/hooks";
import { announce, say } from "../Toasts.tsx";

interface CopyButtonProps {
  readonly text: string;
  /** "secret", for screen readers. */
  readonly what: string;
  readonly onCopied?: () => void;
}

const SHOWN_MS = 2000;

export function CopyButton({ text, what, onCopied }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(button: HTMLElement): Promise<void> {
    if (!(await copied(text, button))) return say(`The ${what} could not be copied. Select it, and copy it by hand.`);
    setCopied(true);
    announce(`Copied the ${what}.`);
    onCopied?.();
  }
  return (
    <button type="button" onClick={(event) => void copy(event.currentTarget)}>
      {isCopied ? "Copied" : "Copy"} <span class="unseen">the {what}</span>
    </button>
  );
}

/** Over plain HTTP, browsers have no clipboard for scripts; copying what is selected works there, too. */
async function copied(text: string, button: HTMLElement): Promise<boolean> {
  if (navigator.clipboard) {
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  // Within the dialog, if there is one: everything outside of it is inert.
  button.after(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  button.focus();
  return isDone;
}
