import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { grouped, measured } from "../../format/numbers.ts";
import { Panel } from "../layout/Page.tsx";
import { drawPlot } from "./draw.ts";
import { stepOf } from "./plot-math.ts";

export interface PlotSeries {
  readonly label: string;
  /** The name of its CSS variable: "--passed". */
  readonly colour: string;
  /** Null: there was nothing to measure. */
  readonly values: readonly (number | null)[];
  /** The sum to show beside the label, if any. */
  readonly sum?: number;
  /** A line in place of stacked bars. */
  readonly isLine?: boolean;
}

export interface PlotProps {
  /** With the unit: "Requests per minute". */
  readonly title: string;
  readonly startsMs: readonly number[];
  /** Bars are stacked from the bottom up, and come before lines. */
  readonly series: readonly PlotSeries[];
  /** The labels below the bars. */
  readonly ticks: readonly { readonly index: number; readonly label: string }[];
  /** The label of a bar's time: "14:05". */
  readonly momentOf: (startMs: number) => string;
  readonly heightPx?: number;
  /** Durations instead of counts. */
  readonly areDurations?: boolean;
  /** Called with the first and the last bar that were chosen, by dragging over them or by Enter. */
  readonly onZoom?: ((from: number, to: number) => void) | undefined;
}

/** Bars and lines over time. Values can be read by pointer, by arrow keys, and as a table. */
export function Plot(props: PlotProps) {
  const { title, startsMs, series, ticks, momentOf, heightPx = 230, areDurations = false, onZoom } = props;
  const canvas = useRef<HTMLDivElement>(null);
  const plot = useRef<ReturnType<typeof drawPlot> | undefined>(undefined);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const last = startsMs.length - 1;
  const index = pointed === undefined ? undefined : Math.min(pointed, last);

  const data = useMemo(() => ({ ticks, columns: columnsOf(series) }), [ticks, series]);
  const colours = series.map(({ colour, isLine = false }) => `${colour} ${isLine}`).join();
  const canZoom = onZoom !== undefined && last > 0;
  useEffect(() => {
    if (!canvas.current) return;
    const coloursOf = (areLines: boolean) =>
      series.filter(({ isLine = false }) => isLine === areLines).map(({ colour }) => colour);
    const look = { bars: coloursOf(false), lines: coloursOf(true), heightPx, isWhole: !areDurations };
    const drawn = drawPlot(
      canvas.current,
      { ...look, textOf: areDurations ? measured : grouped },
      { onPoint: setPointed, onSelect: canZoom ? (from, to) => zoom.current?.(from, to) : undefined },
    );
    plot.current = drawn;
    return drawn.destroy;
  }, [colours, heightPx, canZoom]);
  useEffect(() => plot.current?.show(data), [data, colours, heightPx, canZoom]);
  useEffect(() => plot.current?.mark(index), [index, data]);

  const textOf = (value: number | null | undefined): string =>
    areDurations ? (value == null ? "–" : measured(value)) : grouped(value ?? 0);
  const textAt = (i: number): string =>
    `${momentOf(startsMs[i] as number)}: ${series.map(({ label, values }) => `${textOf(values[i])} ${label.toLowerCase()}`).join(", ")}`;

  return (
    <Panel title={title} aside={<Legend series={series} />}>
      <div class="plot">
        <div
          ref={canvas}
          class={canZoom ? "plot-canvas is-zoomable" : "plot-canvas"}
          style={{ "--plot-height": `${heightPx}px` }}
          role="slider"
          tabIndex={0}
          aria-label={`${title}; arrow keys move through time${canZoom ? ", Enter zooms in" : ""}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={index ?? Math.max(0, last)}
          aria-valuetext={last >= 0 ? textAt(index ?? last) : "nothing yet"}
          onKeyDown={(event) => {
            if (event.key === "Enter" && canZoom && index !== undefined) onZoom(index, index);
            const next = stepOf(event.key, index ?? last, last);
            if (next === undefined) return;
            event.preventDefault();
            setPointed(next);
          }}
          onBlur={() => setPointed(undefined)}
        />
        {series.every(({ values }) => values.every((value) => !value)) && <p class="plot-none">None in this period</p>}
        {index !== undefined && index >= 0 && (
          <Values
            title={momentOf(startsMs[index] as number)}
            series={series}
            textOf={textOf}
            index={index}
            share={(index + 0.5) / (last + 1)}
          />
        )}
        <AsTable title={title} startsMs={startsMs} series={series} momentOf={momentOf} textOf={textOf} />
      </div>
    </Panel>
  );
}

/** Cumulative sums of the bars in drawing order, the highest first, so that the lower ones cover it; then the lines. */
function columnsOf(series: readonly PlotSeries[]): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const { values, isLine } of series) {
    if (isLine) continue;
    const below = sums.at(-1);
    sums.push(values.map((value, i) => (value ?? 0) + (below?.[i] ?? 0)));
  }
  const lines = series.filter(({ isLine }) => isLine).map(({ values }) => [...values]);
  return [(series[0]?.values ?? []).map((_, i) => i), ...sums.reverse(), ...lines];
}

const Legend = ({ series }: Pick<PlotProps, "series">) => (
  <span class="legend">
    {series.map(({ label, colour, sum, isLine }) => (
      <span key={label}>
        <i class={isLine ? "swatch is-line" : "swatch"} style={{ background: `var(${colour})` }} />
        {label}
        {sum !== undefined && ` ${grouped(sum)}`}
      </span>
    ))}
  </span>
);

interface ValuesProps extends Pick<PlotProps, "title" | "series"> {
  readonly textOf: (value: number | null | undefined) => string;
  readonly index: number;
  /** The bar's position from 0 to 1: the values go on the side with more room. */
  readonly share: number;
}

/** The values of one bar, from the top down. Hidden from screen readers, because the slider says the same. */
const Values = ({ title, series, textOf, index, share }: ValuesProps) => (
  <div class={share < 0.5 ? "plot-value is-right" : "plot-value is-left"} aria-hidden="true">
    <span class="strong">{title}</span>
    <dl class="facts is-sums">
      {series.toReversed().map(({ label, colour, values, isLine }) => (
        <>
          <dt>
            <i class={isLine ? "swatch is-line" : "swatch"} style={{ background: `var(${colour})` }} />
            {label}
          </dt>
          <dd>{textOf(values[index])}</dd>
        </>
      ))}
    </dl>
  </div>
);

type TableProps = Pick<PlotProps, "title" | "startsMs" | "series" | "momentOf"> & Pick<ValuesProps, "textOf">;

/** The data as a table, newest first. Rendered only when opened. */
function AsTable({ title, startsMs, series, momentOf, textOf }: TableProps) {
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
                        {textOf(values[i])}
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
