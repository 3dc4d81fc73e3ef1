import { parseInt64 } from "../../src/base/json/int64.ts";
import type { CategoryView } from "../../src/console/api/index.ts";
import { fold } from "../../src/domain/stock/fold.ts";
import type { Category } from "./stock.ts";

// Which category somebody means who types.

const SHOWN = 8;

/** What fits the text: the number itself, if it is one, and categories whose names begin with it. */
export function choicesFor(text: string, named: readonly CategoryView[]): readonly Category[] {
  const typed = text.trim();
  const listed = named.slice(0, SHOWN);
  const isListed = listed.some(({ id }) => id === typed);
  return parseInt64(typed) === undefined || isListed ? listed : [{ id: typed, name: null }, ...listed];
}

/** The one that a text means, without anything being chosen: exactly its name, whatever the case, or its number. */
export const meantBy = (text: string, choices: readonly Category[]): Category | undefined =>
  choices.find(({ name, id }) => (name === null ? id === text.trim() : fold(name) === fold(text.trim())));
