import uPlot from "uplot";
import { grouped } from "../../format/numbers.ts";
import { LINES, topOf } from "./plot-math.ts";

// Stacked bars with uPlot. Nothing is animated; colours follow the colour scheme, sizes follow the page.

export interface Bars {
  /** Sums made by stacked(), the highest series first. */
  readonly stacks: uPlot.AlignedData;
  readonly ticks: readonly { readonly index: number; readonly label: string }[];
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

/** Draws each series on top of the one below, with a hairline between them. */
const paths: uPlot.Series.PathBuilder = (plot, ...rest) =>
  uPlot.paths.bars?.({
    size: [0.72, 40],
    disp: {
      y0: { unit: 1, values: (_, index) => bottoms(plot, index) },
      y1: { unit: 1, values: (_, index) => plot.data[index] as number[] },
    },
  })(plot, ...rest) ?? null;

function bottoms(plot: uPlot, index: number): number[] {
  const tops = plot.data[index] as number[];
  const below = plot.data[index + 1] as number[] | undefined;
  const pixel = (plot.scales.y?.max ?? 0) / Math.max(1, plot.over.clientHeight);
  return tops.map((top, i) => {
    const bottom = below?.[i] ?? 0;
    return bottom > 0 && top - bottom > 2 * pixel ? bottom + pixel : bottom;
  });
}

function options(target: HTMLElement, colours: readonly string[], ticks: () => Bars["ticks"]): uPlot.Options {
  const soft = () => colourOf(target, "--soft");
  const line = () => colourOf(target, "--line");
  return {
    width: target.clientWidth,
    height: target.clientHeight,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
    scales: {
      x: { time: false, range: (_, min, max) => [(min ?? 0) - 0.5, (max ?? 0) + 0.5] },
      y: { range: (_, __, max) => [0, topOf(max ?? 0)] },
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
        values: (_, splits) => splits.map(grouped),
      },
    ],
    series: [
      {},
      ...colours.toReversed().map((colour) => ({
        fill: () => colourOf(target, colour),
        width: 0,
        points: { show: false },
        paths,
      })),
    ],
  };
}

/** Draws into an element, and follows its size. Calls `onPoint` with the bar under the pointer. */
export function drawBars(
  target: HTMLElement,
  colours: readonly string[],
  heightPx: number,
  onPoint: (index: number | undefined) => void,
) {
  let ticks: Bars["ticks"] = [];
  let pointed: number | undefined;
  const plot = new uPlot(
    options(target, colours, () => ticks),
    [[], ...colours.map(() => [])],
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

  const sizes = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: heightPx }));
  sizes.observe(target);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = (): void => plot.redraw(false);
  scheme.addEventListener("change", redraw);

  return {
    show(bars: Bars): void {
      ticks = bars.ticks;
      plot.setData(bars.stacks);
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
