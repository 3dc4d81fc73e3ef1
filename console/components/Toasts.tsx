import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { sentenceOf } from "../api.ts";

// What just happened, for everyone: a short message on the screen, which screen readers read out.

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly undo: (() => void) | undefined;
}

interface ToastOptions {
  /** Only where that is true. */
  readonly undo?: () => void;
  readonly isProblem?: boolean;
}

/** The last one only: what was said before is done, and two would hide what is below them. */
const shown = signal<Toast | undefined>(undefined);
const announcement = signal("");
/** How many dialogs are open: whatever is outside of one is neither seen well nor read out. */
const dialogs = signal(0);
let lastId = 0;

export function say(text: string, { undo, isProblem = false }: ToastOptions = {}): void {
  shown.value = { id: ++lastId, text, isProblem, undo };
}

/** What fails is said; nothing else comes of it. */
export const orSay = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => say(sentenceOf(error), { isProblem: true }));

/** For screen readers alone: what everybody else sees anyway. */
export function announce(text: string): void {
  announcement.value = text;
}

function remove(id: number): void {
  if (shown.value?.id === id) shown.value = undefined;
}

/** On the page, and in each dialog: where somebody is, there it is said. */
export function Toasts({ isInDialog = false }: { readonly isInDialog?: boolean }) {
  useEffect(() => {
    if (!isInDialog) return;
    dialogs.value++;
    return () => {
      dialogs.value--;
    };
  }, [isInDialog]);
  const isHere = isInDialog || dialogs.value === 0;
  return (
    <>
      <p class="unseen" aria-live="polite">
        {isHere && announcement.value}
      </p>
      <div class="toasts" role="status" aria-live="polite">
        {isHere && shown.value && <ToastView key={shown.value.id} toast={shown.value} />}
      </div>
    </>
  );
}

const SHOWN_MS = 7000;
/** Long enough to find the button by keyboard. */
const UNDO_SHOWN_MS = 20_000;

function ToastView({ toast }: { readonly toast: Toast }) {
  const { id, text, isProblem, undo } = toast;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shownMs = undo || isProblem ? UNDO_SHOWN_MS : SHOWN_MS;
    const timer = setInterval(() => {
      // Not while somebody is about to use it.
      if (!element.current?.matches(":hover, :focus-within")) remove(id);
    }, shownMs);
    return () => clearInterval(timer);
  }, [id, isProblem, undo]);
  return (
    <div ref={element} class={isProblem ? "toast is-problem appears" : "toast appears"}>
      <span>{text}</span>
      <span class="row">
        {undo && (
          <button
            type="button"
            onClick={() => {
              remove(id);
              undo();
            }}
          >
            Undo
          </button>
        )}
        <button type="button" aria-label="Dismiss" onClick={() => remove(id)}>
          ×
        </button>
      </span>
    </div>
  );
}
