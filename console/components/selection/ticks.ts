// The effect of a click on the ticked rows, which are known by their ids.

/** Turns one row over, or with an anchor all from there on to that row, which then are as this one is. */
export function turnedOver(
  ticked: ReadonlySet<string>,
  all: readonly string[],
  id: string,
  anchor: string | undefined,
): ReadonlySet<string> {
  const isTicked = !ticked.has(id);
  const [at, from] = [all.indexOf(id), anchor === undefined ? -1 : all.indexOf(anchor)];
  const [first, last] = from === -1 ? [at, at] : [Math.min(at, from), Math.max(at, from)];
  const next = new Set(ticked);
  for (const each of all.slice(first, last + 1)) {
    if (isTicked) next.add(each);
    else next.delete(each);
  }
  return next;
}
