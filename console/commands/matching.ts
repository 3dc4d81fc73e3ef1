// Which titles a text that was typed could mean.

/** Without accents and case, since who types in a hurry leaves them out. */
const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** 0 if the title begins with the text, 1 if each word begins one of the title, 2 if it has each somewhere. */
function rank(title: string, text: string): number | undefined {
  if (title.startsWith(text)) return 0;
  const words = text.split(/\s+/);
  const parts = title.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1;
  return words.every((word) => title.includes(word)) ? 2 : undefined;
}

/** Returns the candidates whose titles match, the best first, and otherwise in their order. No text matches all. */
export function matching<T extends { readonly title: string }>(candidates: readonly T[], text: string): readonly T[] {
  const wanted = plain(text);
  if (wanted === "") return candidates;
  return candidates
    .map((candidate) => ({ candidate, rank: rank(plain(candidate.title), wanted) }))
    .filter((each) => each.rank !== undefined)
    .sort((a, b) => (a.rank as number) - (b.rank as number))
    .map(({ candidate }) => candidate);
}

/** True if what was found for another text is also found for this one: no answer needs to be waited for. */
export const isStillFound = (names: readonly (string | null)[], text: string): boolean =>
  names.some((name) => name !== null && plain(name).startsWith(plain(text)));
