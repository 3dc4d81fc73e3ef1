/** Nobody makes more mistakes in typing a word, however long it is. */
const MAX_DISTANCE = 3;

/** The known word that was probably meant; undefined when none is close. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const allowed = Math.min(Math.max(1, Math.floor(candidate.length / 3)), MAX_DISTANCE);
    const limit = Math.min(allowed, least - 1);
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** Tells whether two words differ by at most this many typing mistakes. */
export const isWithin = (limit: number, a: string, b: string): boolean => editDistance(a, b, limit) <= limit;

/**
 * Damerau-Levenshtein distance of the ends of two words: letters added, dropped, changed, or swapped with their
 * neighbour. A distance beyond the limit is not exact, so that most of a hundred thousand words are soon ruled out.
 */
function editDistance(a: string, b: string, limit: number, fromA = 0, fromB = 0): number {
  const longer = Math.abs(a.length - fromA - (b.length - fromB));
  if (longer > limit) return longer;
  let [i, j] = [fromA, fromB];
  while (i < a.length && j < b.length && a[i] === b[j]) {
    i++;
    j++;
  }
  if (i === a.length || j === b.length) return longer;
  if (limit === 0) return 1;
  const rest = (ofA: number, ofB: number) => editDistance(a, b, limit - 1, i + ofA, j + ofB);
  const isSwap = a[i] === b[j + 1] && a[i + 1] === b[j];
  return 1 + Math.min(rest(1, 1), rest(0, 1), rest(1, 0), isSwap ? rest(2, 2) : limit);
}
