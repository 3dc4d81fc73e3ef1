import { isWithin } from "./suggest.ts";

// Finds settings that are probably misspelt. An environment is full of other programs' variables, such as REDIS_PORT
// beside REDIS_URL, so there only typing slips count; a file of settings is this program's own.

export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** Misspelt settings in an environment. A setting that is set correctly was not meant by another name. */
export function misspeltInEnvironment(names: readonly string[], settings: readonly string[]): Misspelling[] {
  const free = settings.filter((setting) => !names.includes(setting));
  return misspelt(names, settings, free, isSlip);
}

/** Misspelt settings in a file of settings. */
export const misspeltInFile = (names: readonly string[], settings: readonly string[]): Misspelling[] =>
  misspelt(names, settings, settings, (name, setting) => isSlip(name, setting) || isOneEdit(name, setting));

export const wordingOf = ({ name, meant }: Misspelling): string => `${name} is not a setting: did you mean ${meant}?`;

function misspelt(
  names: readonly string[],
  settings: readonly string[],
  candidates: readonly string[],
  isClose: (name: string, setting: string) => boolean,
): Misspelling[] {
  return names.flatMap((name) => {
    const meant = settings.includes(name) ? undefined : candidates.find((setting) => isClose(name, setting));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** The same name in another case or without underscores, or with a slip in a word. */
function isSlip(name: string, setting: string): boolean {
  if (bare(name) === bare(setting)) return true;
  const [words, meant] = [name.split("_"), setting.split("_")];
  return words.length === meant.length && meant.every((word, i) => isSlipOfWord(words[i] as string, word));
}

const bare = (name: string): string => name.replaceAll(/[_-]/g, "").toUpperCase();

/** Few words of this length differ from another word by one letter. */
const LONG_WORD = 5;
const VERY_LONG_WORD = 9;

function isSlipOfWord(word: string, meant: string): boolean {
  if (meant.length >= LONG_WORD) return isWithin(meant.length >= VERY_LONG_WORD ? 2 : 1, word, meant);
  // PROT and PPORT, but not SORT or PORTS.
  return word === meant || isSwap(word, meant) || withoutRepeats(word) === withoutRepeats(meant);
}

const isSwap = (word: string, meant: string): boolean =>
  [...meant].some((letter, i) => meant.slice(0, i) + (meant[i + 1] ?? "") + letter + meant.slice(i + 2) === word);

const withoutRepeats = (word: string): string => word.replaceAll(/(.)\1+/g, "$1");

const isOneEdit = (name: string, setting: string): boolean => isWithin(1, name.toUpperCase(), setting);
