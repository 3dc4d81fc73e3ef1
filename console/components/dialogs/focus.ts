/** Moves the focus to the page's title. */
export const focusPage = (): void => document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });

/** Moves the focus to the page's title if the focused element is gone, such as a button that was used. */
export function rescueFocus(): void {
  setTimeout(() => {
    if (document.activeElement === null || document.activeElement === document.body) focusPage();
  });
}
