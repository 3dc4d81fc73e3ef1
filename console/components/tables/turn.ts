import { useEffect, useRef } from "preact/hooks";
import { focusPage } from "../dialogs/focus.ts";
import { announce } from "../Toasts.tsx";

/** Scrolls to the top and announces the new page when the user turns to another page of a list. */
export function useTurn(page: string | number | null, words: string): void {
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    // Do not take the focus from a user who types into a filter, or sorts.
    if (document.activeElement?.matches("input, select, th > a")) return;
    scrollTo(0, 0);
    focusPage();
    announce(words);
  }, [page]);
}
