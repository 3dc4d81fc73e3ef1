// The arithmetic of plots, without the drawing.

/** Only integer steps, because there are no half requests. */
const ROUND = Array.from({ length: 10 }, (_, power) =>
  [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].map((step) => step * 10 ** power),
)
  .flat()
  .filter(Number.isInteger);
export const LINES = 4;

/** The top of the axis: a round number a little above the highest bar. */
export function topOf(highest: number): number {
  const step = ROUND.find((candidate) => candidate * LINES >= highest) ?? highest / LINES;
  return Math.max(step, 1) * LINES;
}

const STEPS = new Map([
  ["ArrowLeft", -1],
  ["ArrowDown", -1],
  ["ArrowRight", 1],
  ["ArrowUp", 1],
  ["PageDown", -10],
  ["PageUp", 10],
  ["Home", Number.NEGATIVE_INFINITY],
  ["End", Number.POSITIVE_INFINITY],
]);

/** The index that a key moves to; undefined for other keys. */
export function stepOf(key: string, index: number, last: number): number | undefined {
  const step = STEPS.get(key);
  return step === undefined || last < 0 ? undefined : Math.min(last, Math.max(0, index + step));
}
