// The arithmetic of plots, without the drawing.

const DIGITS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
export const LINES = 4;

/** The top of the axis: a round number a little above the highest value. There are no half requests. */
export function topOf(highest: number, isWhole = true): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest / LINES, isWhole ? 1 : MIN_STEP)));
  const steps = [...DIGITS, 10].map((digit) => digit * power).filter((step) => !isWhole || Number.isInteger(step));
  return (steps.find((step) => step * LINES >= highest) ?? 10 * power) * LINES;
}

/** In milliseconds: an axis of nothing has to have a top, too. */
const MIN_STEP = 0.01;

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

/** The bars of a selection, given by its edges in bars from the left; undefined if it selects nothing less than all. */
export function selectedBars(left: number, right: number, last: number): readonly [number, number] | undefined {
  const [from, to] = [Math.max(0, Math.floor(left)), Math.min(last, Math.ceil(right) - 1)];
  return from <= to && to - from < last ? [from, to] : undefined;
}
