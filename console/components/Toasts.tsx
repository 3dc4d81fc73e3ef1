import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { sentenceOf } from "../api.ts";
import { keyOf } from "../commands/shortcuts.ts";
import { keepClear } from "./keep-clear.ts";

// Toasts: short messages about what just happened, which screen readers announce.

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly undo: (() => void) | undefined;
}

interface ToastOptions {
  /** Adds an Undo button. */
  readonly undo?: () => void;
  readonly isProblem?: boolean;
}

/** Only the latest toast is shown: two would hide the content below them. */
const shown = signal<Toast | undefined>(undefined);
const announcement = signal("");
/** The number of open dialogs: content outside of one is dimmed and not announced. */
const dialogs = signal(0);
let lastId = 0;

export function say(text: string, { undo, isProblem = false }: ToastOptions = {}): void {
  shown.value = { id: ++lastId, text, isProblem, undo };
}

/** Shows a failure as a toast instead of throwing it. */
export const orSay = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => say(sentenceOf(error), { isProblem: true }));

/** Announces to screen readers what everyone else can see. */
export function announce(text: string): void {
  announcement.value = text;
}

function remove(id: number): void {
  if (shown.value?.id === id) shown.value = undefined;
}

/** Rendered on the page and in each dialog. Toasts appear in the one that has the focus. */
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
      <div role="status" aria-live="polite">
        {isHere && shown.value && <ToastView key={shown.value.id} toast={shown.value} />}
      </div>
    </>
  );
}

const SHOWN_MS = 7000;
/** Long enough to reach the button by keyboard. */
const UNDO_SHOWN_MS = 20_000;

function ToastView({ toast }: { readonly toast: Toast }) {
  const { id, text, isProblem, undo } = toast;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (element.current ? keepClear(element.current) : undefined), []);
  useEffect(() => {
    const shownMs = undo || isProblem ? UNDO_SHOWN_MS : SHOWN_MS;
    const timer = setInterval(() => {
      // A toast stays while the user is about to use it.
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
            aria-keyshortcuts={keyOf("u")}
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
