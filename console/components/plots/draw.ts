import uPlot from "uplot";
import { LINES, selectedBars, topOf } from "./plot-math.ts";

// Stacked bars and lines with uPlot. Nothing is animated; colours follow the colour scheme, sizes follow the page.

export interface Drawn {
  /** The sums of the bars made by stacked(), the highest series first, and then the lines. */
  readonly columns: uPlot.AlignedData;
  readonly ticks: readonly { readonly index: number; readonly label: string }[];
}

/** The look of a plot. Colours are names of CSS variables. */
export interface Look {
  /** From the bottom up. */
  readonly bars: readonly string[];
  readonly lines: readonly string[];
  readonly heightPx: number;
  /** True if there are no halves of what is counted. */
  readonly isWhole: boolean;
  readonly textOf: (value: number) => string;
}

interface Listeners {
  /** Called with the bar under the pointer. */
  readonly onPoint: (index: number | undefined) => void;
  /** Called with the first and the last bar of a selection. */
  readonly onSelect: ((from: number, to: number) => void) | undefined;
}

const LABEL_FONT = "11.5px ui-sans-serif, system-ui, sans-serif";
const DIGIT_PX = 7;
/** Resolves a CSS variable to a colour for a canvas. */
function colourOf(within: HTMLElement, token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  within.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draws each series on top of the one below, with a hairline between them. The last one stands on the ground. */
const barPaths =
  (last: number): uPlot.Series.PathBuilder =>
  (plot, ...rest) =>
    uPlot.paths.bars?.({
      size: [0.72, 40],
      disp: {
        y0: { unit: 1, values: (_, index) => bottoms(plot, index, last) },
        y1: { unit: 1, values: (_, index) => plot.data[index] as number[] },
      },
    })(plot, ...rest) ?? null;

function bottoms(plot: uPlot, index: number, last: number): number[] {
  const tops = plot.data[index] as number[];
  const below = index < last ? (plot.data[index + 1] as number[]) : undefined;
  const pixel = (plot.scales.y?.max ?? 0) / Math.max(1, plot.over.clientHeight);
  return tops.map((top, i) => {
    const bottom = below?.[i] ?? 0;
    return bottom > 0 && top - bottom > 2 * pixel ? bottom + pixel : bottom;
  });
}

function options(target: HTMLElement, look: Look, ticks: () => Drawn["ticks"], listeners: Listeners): uPlot.Options {
  const { bars, lines, isWhole, textOf } = look;
  const { onSelect } = listeners;
  const soft = () => colourOf(target, "--soft");
  const line = () => colourOf(target, "--line");
  return {
    width: target.clientWidth,
    height: target.clientHeight,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: onSelect !== undefined, y: false, setScale: false },
      points: { show: false },
      ...{ x: false, y: false },
    },
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          const edge = (pixel: number): number => plot.posToVal(pixel, "x") + 0.5;
          const selected = selectedBars(edge(left), edge(left + width), (plot.data[0]?.length ?? 0) - 1);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (width > 0 && selected) onSelect?.(...selected);
        },
      ],
    },
    scales: {
      x: { time: false, range: (_, min, max) => [(min ?? 0) - 0.5, (max ?? 0) + 0.5] },
      y: { range: (_, __, max) => [0, topOf(max ?? 0, isWhole)] },
    },
    axes: [
      {
        stroke: soft,
        font: LABEL_FONT,
        size: 26,
        gap: 6,
        grid: { show: false },
        ticks: { show: false },
        splits: () => ticks().map(({ index }) => index),
        values: () => ticks().map(({ label }) => label),
      },
      {
        stroke: soft,
        font: LABEL_FONT,
        gap: 8,
        size: (_, labels) => Math.max(24, ...(labels ?? []).map((label) => label.length * DIGIT_PX + 10)),
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        splits: (_, __, ___, max) => Array.from({ length: LINES + 1 }, (_, i) => (max * i) / LINES),
        values: (_, splits) => splits.map(textOf),
      },
    ],
    series: [
      {},
      ...bars.toReversed().map((colour) => ({
        fill: () => colourOf(target, colour),
        width: 0,
        points: { show: false },
        paths: barPaths(bars.length),
      })),
      ...lines.map((colour) => ({
        stroke: () => colourOf(target, colour),
        width: 1.5,
        // A value between two gaps has no line to be seen by.
        points: { show: (plot: uPlot, series: number) => hasLonely(plot.data[series] as Values), size: 4 },
      })),
    ],
  };
}

type Values = readonly (number | null)[];

const hasLonely = (values: Values): boolean =>
  values.some((value, i) => value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null);

/** Draws into an element, and follows its size. */
export function drawPlot(target: HTMLElement, look: Look, listeners: Listeners) {
  const { onPoint } = listeners;
  let ticks: Drawn["ticks"] = [];
  let pointed: number | undefined;
  const plot = new uPlot(
    options(target, look, () => ticks, listeners),
    [[], ...[...look.bars, ...look.lines].map(() => [])],
    target,
  );
  const marked = document.createElement("div");
  marked.className = "plot-mark";
  plot.under.append(marked);

  const point = (): void => {
    const { left = -1, idx } = plot.cursor;
    const next = left < 0 ? undefined : (idx ?? undefined);
    if (next === pointed) return;
    pointed = next;
    onPoint(next);
  };
  plot.over.addEventListener("pointermove", () => requestAnimationFrame(point));
  plot.over.addEventListener("pointerdown", () => requestAnimationFrame(point));
  plot.over.addEventListener("pointerleave", () => {
    pointed = undefined;
    onPoint(undefined);
  });

  const sizes = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: look.heightPx }));
  sizes.observe(target);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = (): void => plot.redraw(false);
  scheme.addEventListener("change", redraw);

  return {
    show(drawn: Drawn): void {
      ticks = drawn.ticks;
      plot.setData(drawn.columns);
    },
    /** Highlights the background of one bar. */
    mark(index: number | undefined): void {
      marked.hidden = index === undefined;
      if (index === undefined) return;
      const [left, right] = [plot.valToPos(index - 0.5, "x"), plot.valToPos(index + 0.5, "x")];
      // The values are positioned beside the bar.
      target.parentElement?.style.setProperty("--bar-left", `${plot.over.offsetLeft + left}px`);
      target.parentElement?.style.setProperty("--bar-right", `${plot.over.offsetLeft + right}px`);
      Object.assign(marked.style, {
        left: `${left}px`,
        width: `${Math.max(2, right - left)}px`,
        top: "0",
        bottom: "0",
      });
    },
    destroy(): void {
      scheme.removeEventListener("change", redraw);
      sizes.disconnect();
      plot.destroy();
    },
  };
}
