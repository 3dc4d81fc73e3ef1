// Moves the focus through the rows of tables and the cards of the board, by the link that each has.

const LINKS = "main a.row-link, main .card-head > a";
const ROW = "tr, .card";

/** Returns the visible links: on a phone, all columns of the board but one are hidden. */
const links = (): readonly HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(LINKS)].filter((link) => link.checkVisibility());

const rowOf = (element: Element | null | undefined): Element | null => element?.closest(ROW) ?? null;

/** The row that has the focus, maybe in one of its buttons. */
const currentRow = (): Element | null => rowOf(document.activeElement);

function focusOn(link: HTMLElement | undefined): void {
  link?.focus();
  rowOf(link)?.scrollIntoView({ block: "nearest" });
}

/** To the next row or the one before; from elsewhere to the first or the last. */
export function moveToRow(step: 1 | -1): void {
  const all = links();
  const row = currentRow();
  const index = row === null ? -1 : all.findIndex((link) => row.contains(link));
  if (index === -1) focusOn(all.at(step === 1 ? 0 : -1));
  else focusOn(all[index + step]);
}

export const focusFirstRow = (): void => focusOn(links()[0]);

const selectorOf = (key: string): string => `[aria-keyshortcuts="${key}"]`;

/**
 * Presses the button with this key in the row that has the focus, or on a page without rows. If no row has the focus,
 * the first with such a button gets it: nothing happens to an order that nobody has pointed at.
 */
export function pressInRow(key: string): void {
  const all = links();
  const row = all.length === 0 ? document.querySelector("main") : currentRow();
  if (row) row.querySelector<HTMLElement>(selectorOf(key))?.click();
  else focusOn(all.find((link) => rowOf(link)?.querySelector(selectorOf(key))));
}

/** Presses the last button with this key, wherever it is. */
export const pressLast = (key: string): void =>
  [...document.querySelectorAll<HTMLElement>(selectorOf(key))].at(-1)?.click();
