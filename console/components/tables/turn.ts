import { useEffect, useRef } from "preact/hooks";
import { focusPage } from "../dialogs/focus.ts";
import { announce } from "../Toasts.tsx";

/** Another page of a list is read from its beginning. */
export function useTurn(page: string | number | null, words: string): void {
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    // Whoever types into a filter goes on typing.
    if (document.activeElement?.matches("input, select")) return;
    scrollTo(0, 0);
    focusPage();
    announce(words);
  }, [page]);
}
