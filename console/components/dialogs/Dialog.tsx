import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Toasts } from "../Toasts.tsx";
import { rescueFocus } from "./focus.ts";

interface DialogProps {
  readonly title: ComponentChildren;
  /** Called when it was closed, so that the parent stops rendering it. */
  readonly onClose: () => void;
  /** Only its own buttons close it, not Escape or the browser's Back. */
  readonly isKept?: boolean;
  /** Covers all of the page, which must not be seen. */
  readonly isCover?: boolean;
  /** Its field takes the place of its title, and pressing beside it closes it. */
  readonly isPalette?: boolean;
  readonly children: ComponentChildren;
}

/** A native dialog that is open while it is rendered. The focus then returns to where it was. */
export function Dialog({ title, onClose, isKept = false, isCover = false, isPalette = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      rescueFocus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isCover ? "is-cover" : isPalette ? "is-palette appears" : "appears"}
      {...(isPalette ? { closedby: "any" } : {})}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (isKept && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        if (isKept) event.preventDefault();
      }}
      onClose={(event) => {
        // The event arrives late: if the dialog is no longer rendered, the parent already knows.
        if (!event.currentTarget.isConnected) return;
        // Browsers close a dialog after repeated attempts, but a secret is shown only once.
        if (isKept) event.currentTarget.showModal();
        else onClose();
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId} class={isPalette ? "unseen" : undefined}>
          {title}
        </h2>
        {children}
      </div>
      <Toasts isInDialog />
    </dialog>
  );
}
