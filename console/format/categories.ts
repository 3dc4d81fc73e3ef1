import { parseInt64 } from "../../src/base/json/int64.ts";
import type { CategoryView } from "../../src/console/api/index.ts";
import { fold } from "../../src/domain/stock/fold.ts";
import type { Category } from "./stock.ts";

// Finds the category that typed text means.

const SHOWN = 8;

/** The matches of a text: the number itself, if it is one, and categories whose names begin with it. */
export function choicesFor(text: string, named: readonly CategoryView[]): readonly Category[] {
  const typed = text.trim();
  const listed = named.slice(0, SHOWN);
  const isListed = listed.some(({ id }) => id === typed);
  return parseInt64(typed) === undefined || isListed ? listed : [{ id: typed, name: null }, ...listed];
}

/** The category that a text means without a choice: the same name, ignoring case, or the same number. */
export const meantBy = (text: string, choices: readonly Category[]): Category | undefined =>
  choices.find(({ name, id }) => (name === null ? id === text.trim() : fold(name) === fold(text.trim())));
