/** The title of the page, where somebody finds the way again. */
export const focusPage = (): void => document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });

/** What had the focus may be gone, such as a button that has done its work: then the title of the page takes it. */
export function rescueFocus(): void {
  setTimeout(() => {
    if (document.activeElement === null || document.activeElement === document.body) focusPage();
  });
}
