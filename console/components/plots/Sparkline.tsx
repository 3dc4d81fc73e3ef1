import type { KeyOutcome } from "../../../src/console/api/index.ts";

/** From the bottom to the top, as on the larger plots. */
const COLOURS = {
  passed: "--passed",
  clientErrors: "--client-error",
  refused: "--refused",
  failed: "--failed",
} satisfies Record<KeyOutcome, string>;
const OUTCOMES = Object.keys(COLOURS) as KeyOutcome[];

const BAR = 3;
const HEIGHT = 18;

/**
 * Requests over time by their outcome, as bars that are as wide as a word, where there is room for them. Hidden from
 * screen readers, because the text beside it says what matters.
 */
export function Sparkline({ hours }: { readonly hours: Readonly<Record<KeyOutcome, readonly number[]>> }) {
  const count = hours.passed.length;
  const sumUpTo = (outcome: number, i: number): number =>
    OUTCOMES.slice(0, outcome).reduce((sum, each) => sum + (hours[each][i] ?? 0), 0);
  const tops = Array.from({ length: count }, (_, i) => sumUpTo(OUTCOMES.length, i));
  const top = Math.max(1, ...tops);
  const width = count * BAR;
  const barsOf = (outcome: number): string =>
    tops
      .map((_, i) => {
        const [from, to] = [sumUpTo(outcome, i), sumUpTo(outcome + 1, i)].map((sum) => HEIGHT * (1 - sum / top));
        return from === to ? "" : `M${i * BAR} ${from}h${BAR - 1}V${to}h${1 - BAR}z`;
      })
      .join("");
  return (
    <svg
      class="sparkline only-widest"
      aria-hidden="true"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
    >
      {OUTCOMES.map((outcome, i) => (
        <path key={outcome} style={{ fill: `var(${COLOURS[outcome]})` }} d={barsOf(i)} />
      ))}
    </svg>
  );
}
