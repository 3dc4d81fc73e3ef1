import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { grouped } from "../../format/numbers.ts";
import { Panel } from "../layout/Page.tsx";
import { drawBars } from "./bars.ts";
import { stepOf } from "./plot-math.ts";

export interface PlotSeries {
  readonly label: string;
  /** The name of its CSS variable: "--passed". */
  readonly colour: string;
  readonly values: readonly number[];
  /** The sum to show beside the label, if any. */
  readonly sum?: number;
}

export interface PlotProps {
  /** With the unit: "Requests per minute". */
  readonly title: string;
  readonly startsMs: readonly number[];
  /** Stacked from the bottom up. */
  readonly series: readonly PlotSeries[];
  /** The labels below the bars. */
  readonly ticks: readonly { readonly index: number; readonly label: string }[];
  /** The label of a bar's time: "14:05". */
  readonly momentOf: (startMs: number) => string;
  readonly heightPx?: number;
}

/** Stacked bars over time. Values can be read by pointer, by arrow keys, and as a table. */
export function Plot({ title, startsMs, series, ticks, momentOf, heightPx = 230 }: PlotProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const plot = useRef<ReturnType<typeof drawBars> | undefined>(undefined);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const last = startsMs.length - 1;
  const index = pointed === undefined ? undefined : Math.min(pointed, last);

  const data = useMemo(() => ({ ticks, stacks: stacked(series) }), [ticks, series]);
  const colours = series.map(({ colour }) => colour).join();
  useEffect(() => {
    if (!canvas.current) return;
    const drawn = drawBars(canvas.current, colours.split(","), heightPx, setPointed);
    plot.current = drawn;
    return drawn.destroy;
  }, [colours, heightPx]);
  useEffect(() => plot.current?.show(data), [data, colours, heightPx]);
  useEffect(() => plot.current?.mark(index), [index, data]);

  const textAt = (i: number): string =>
    `${momentOf(startsMs[i] as number)}: ${series.map(({ label, values }) => `${grouped(values[i] ?? 0)} ${label.toLowerCase()}`).join(", ")}`;

  return (
    <Panel title={title} aside={<Legend series={series} />}>
      <div class="plot">
        <div
          ref={canvas}
          class="plot-canvas"
          style={{ "--plot-height": `${heightPx}px` }}
          role="slider"
          tabIndex={0}
          aria-label={`${title}; arrow keys move through time`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={index ?? Math.max(0, last)}
          aria-valuetext={last >= 0 ? textAt(index ?? last) : "nothing yet"}
          onKeyDown={(event) => {
            const next = stepOf(event.key, index ?? last, last);
            if (next === undefined) return;
            event.preventDefault();
            setPointed(next);
          }}
          onBlur={() => setPointed(undefined)}
        />
        {series.every(({ values }) => values.every((value) => value === 0)) && (
          <p class="plot-none">None in this period</p>
        )}
        {index !== undefined && index >= 0 && (
          <Values
            title={momentOf(startsMs[index] as number)}
            series={series}
            index={index}
            share={(index + 0.5) / (last + 1)}
          />
        )}
        <AsTable title={title} startsMs={startsMs} series={series} momentOf={momentOf} />
      </div>
    </Panel>
  );
}

/** Cumulative sums in drawing order: the highest first, so that the lower ones cover it. */
function stacked(series: readonly PlotSeries[]): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, i) => value + (below?.[i] ?? 0)));
  }
  return [(series[0]?.values ?? []).map((_, i) => i), ...sums.reverse()];
}

const Legend = ({ series }: Pick<PlotProps, "series">) => (
  <span class="legend">
    {series.map(({ label, colour, sum }) => (
      <span key={label}>
        <i class="swatch" style={{ background: `var(${colour})` }} />
        {label}
        {sum !== undefined && ` ${grouped(sum)}`}
      </span>
    ))}
  </span>
);

interface ValuesProps extends Pick<PlotProps, "title" | "series"> {
  readonly index: number;
  /** The bar's position from 0 to 1: the values go on the side with more room. */
  readonly share: number;
}

/** The values of one bar, from the top down. Hidden from screen readers, because the slider says the same. */
const Values = ({ title, series, index, share }: ValuesProps) => (
  <div class={share < 0.5 ? "plot-value is-right" : "plot-value is-left"} aria-hidden="true">
    <span class="strong">{title}</span>
    <dl class="facts is-sums">
      {series.toReversed().map(({ label, colour, values }) => (
        <>
          <dt>
            <i class="swatch" style={{ background: `var(${colour})` }} />
            {label}
          </dt>
          <dd>{grouped(values[index] ?? 0)}</dd>
        </>
      ))}
    </dl>
  </div>
);

/** The data as a table, newest first. Rendered only when opened. */
function AsTable({ title, startsMs, series, momentOf }: Pick<PlotProps, "title" | "startsMs" | "series" | "momentOf">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="plot-table" tabIndex={0} aria-label={`${title}, as a table`}>
          <table>
            <caption class="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="num">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {startsMs
                .map((startMs, i) => (
                  <tr key={startMs}>
                    <td>{momentOf(startMs)}</td>
                    {series.map(({ label, values }) => (
                      <td key={label} class="num">
                        {grouped(values[i] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
