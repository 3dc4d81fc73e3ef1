import { useEffect, useRef, useState } from "preact/hooks";
import { useCommands } from "../../commands/registry.ts";
import { announce, say } from "../Toasts.tsx";

interface CopyButtonProps {
  readonly text: string;
  /** The name of what is copied, such as "secret". */
  readonly what: string;
  readonly onCopied?: () => void;
}

const SHOWN_MS = 2000;

export function CopyButton({ text, what, onCopied }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    if (!button.current || !(await copied(text, button.current)))
      return say(`Could not copy the ${what}. Select it and copy it manually.`);
    setCopied(true);
    announce(`Copied the ${what}.`);
    onCopied?.();
  }
  const command = { title: `Copy the ${what}`, run: () => void copy() };
  useCommands([command]);
  return (
    <button ref={button} type="button" onClick={command.run}>
      {isCopied ? "Copied" : "Copy"} <span class="unseen">the {what}</span>
    </button>
  );
}

/** An id with a button that copies it. */
export const CopyableId = ({ id }: { readonly id: string }) => (
  <span class="row">
    <code>{id}</code>
    <CopyButton text={id} what="id" />
  </span>
);

/** Over plain HTTP, browsers have no clipboard API, but copying a selection works. */
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
  // Inserted next to the button, because everything outside an open dialog is inert.
  button.after(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  button.focus();
  return isDone;
}
