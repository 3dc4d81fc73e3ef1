interface SparklineProps {
  readonly values: readonly number[];
  /** The parts of the values that are drawn in another colour, from the top. */
  readonly parts: readonly number[];
}

const BAR = 3;
const HEIGHT = 18;

/**
 * Bars over time, as wide as a word, where there is room for them. Hidden from screen readers, because the text beside
 * it says what matters.
 */
export function Sparkline({ values, parts }: SparklineProps) {
  const top = Math.max(1, ...values);
  const width = values.length * BAR;
  const barsOf = (heightOf: (i: number) => readonly [from: number, to: number]): string =>
    values
      .map((_, i) => {
        const [from, to] = heightOf(i).map((value) => HEIGHT * (1 - value / top));
        return from === to ? "" : `M${i * BAR} ${from}h${BAR - 1}V${to}h${1 - BAR}z`;
      })
      .join("");
  const restOf = (i: number): number => (values[i] as number) - (parts[i] ?? 0);
  return (
    <svg
      class="sparkline only-widest"
      aria-hidden="true"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
    >
      <path d={barsOf((i) => [0, restOf(i)])} />
      <path class="part" d={barsOf((i) => [restOf(i), values[i] as number])} />
    </svg>
  );
}
