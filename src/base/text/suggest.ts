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
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(...withoutCommonEnds(wanted, candidate.toLowerCase()), limit);
    if (distance > limit) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** Tells whether two words differ by at most this many typing mistakes. */
export const isWithin = (limit: number, a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= limit && editDistance(...withoutCommonEnds(a, b), limit) <= limit;

/** Names often begin alike; a common beginning or end does not change the distance. */
function withoutCommonEnds(a: string, b: string): [string, string] {
  let [start, endOfA, endOfB] = [0, a.length, b.length];
  while (start < endOfA && start < endOfB && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA--;
    endOfB--;
  }
  return [a.slice(start, endOfA), b.slice(start, endOfB)];
}

/**
 * Damerau-Levenshtein distance: letters added, dropped, changed, or swapped with their neighbour. A distance beyond the
 * limit is not exact: there may be a hundred thousand words, and most are nowhere near.
 */
function editDistance(a: string, b: string, limit: number): number {
  const beyond = limit + 1;
  const width = b.length + 1;
  // The current row, the one above it, and the one above that, which a swap needs.
  let [row, above, twoAbove] = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)];
  for (let j = 0; j < width; j++) above[j] = j;
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    // A cell further from the diagonal needs more additions or drops than the limit allows.
    const first = Math.max(1, i - limit);
    const last = Math.min(b.length, i + limit);
    let least = first === 1 ? i : beyond;
    row[first - 1] = least;
    for (let j = first; j <= last; j++) {
      const other = b.charCodeAt(j - 1);
      let cost = (above[j - 1] as number) + (letter === other ? 0 : 1);
      cost = Math.min(cost, (row[j - 1] as number) + 1, (above[j] as number) + 1);
      const isSwap = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      if (isSwap) cost = Math.min(cost, (twoAbove[j - 2] as number) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (last < b.length) row[last + 1] = beyond;
    // All further rows cost at least as much or, by a swap, one more than the row above.
    if (least > limit && leastAbove >= limit) return beyond;
    const free = twoAbove;
    twoAbove = above;
    above = row;
    row = free;
    leastAbove = least;
  }
  return above[b.length] as number;
}
