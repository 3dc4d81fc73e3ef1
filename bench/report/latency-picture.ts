import { median, whole } from "../common/tools.ts";
import type { Latency } from "../load/steady-load.ts";
import {
  keepsUp,
  STEADY_CONTENDERS,
  type SteadyContender,
  type SteadyResult,
  type SteadyRow,
} from "../measures/steady.ts";
import { px, textAt } from "./picture.ts";
import { countedRounds } from "./quiet.ts";

const WIDTH = 760;
const MARGIN = 20;
const HEAD_HEIGHT = 90;
const PLOT_HEIGHT = 260;
const AXIS_WIDTH = 36;
/** Half of it is beyond the last panel. */
const LAST_TICK_WIDTH = 16;
const PANEL_GAP = 30;
const FOOT_HEIGHT = 56;
const HEIGHT = HEAD_HEIGHT + PLOT_HEIGHT + FOOT_HEIGHT;

type Figure = "p50Ms" | "p99Ms" | "p999Ms";

const PANELS: readonly (readonly [title: string, figure: Figure])[] = [
  ["p50", "p50Ms"],
  ["p99", "p99Ms"],
  ["p99.9", "p999Ms"],
];
const PANEL_WIDTH =
  (WIDTH - 2 * MARGIN - AXIS_WIDTH - LAST_TICK_WIDTH - (PANELS.length - 1) * PANEL_GAP) / PANELS.length;

/** The same colours as in the other chart. Text follows the reader's colour scheme. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .head { font-size: 17px; font-weight: 600 }
  .title { font-weight: 600 }
  .note, .tick { fill: #59636e }
  .tick { font-size: 11px }
  .end { text-anchor: end } .middle { text-anchor: middle }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .line { fill: none; stroke-width: 2 }
  .s0 { --colour: #1a7f5a } .s1 { --colour: #6fbf9f } .s2 { --colour: #7d8590 } .s3 { --colour: #5b8def }
  .line, .cross { stroke: var(--colour) } .dot { fill: var(--colour) }
  .cross { stroke-width: 2 }
  .open { fill: var(--ground); stroke: var(--colour); stroke-width: 1.5 }
  svg { --ground: #ffffff } .ground { fill: var(--ground) }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note, .tick { fill: #9198a1 }
    svg { --ground: #0d1117 }
    .grid { stroke: #30363d }
    .s0 { --colour: #2ea97c } .s1 { --colour: #1f7a5c }
  }`;

interface Scale {
  /** The highest rate. */
  readonly most: number;
  /** The logarithms that the latencies are between. */
  readonly low: number;
  readonly high: number;
}

/** Draws latency by rate, a panel for each percentile, with one logarithmic scale for all of them. */
export function drawLatencies({ rows }: SteadyResult): string {
  const lines = STEADY_CONTENDERS.map((contender) => ({ contender, points: pointsOf(rows, contender) }));
  const values = lines.flatMap(({ points }) =>
    points.flatMap(({ rounds }) => (rounds ? PANELS.map(([, figure]) => medianOf(rounds, figure)) : [])),
  );
  const scale = {
    most: Math.max(...rows.map(({ perSecond }) => perSecond)),
    low: Math.log10(Math.min(0.1, ...values) * 0.8),
    // With room for the crosses above.
    high: Math.log10(Math.max(1, ...values) * 3),
  };
  const panels = PANELS.map(([title, figure], i) => {
    const left = MARGIN + AXIS_WIDTH + i * (PANEL_WIDTH + PANEL_GAP);
    const drawn = lines.map(({ points }, index) => drawLine(points, figure, index, left, scale));
    return [drawGrid(title, left, scale), ...drawn].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Latency of each contender by requests per second">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
${textAt(MARGIN, MARGIN + 16, "Latency of the mix at a steady rate in ms, lower is better", "head")}
${drawLegend()}
${drawLatencyTicks(scale)}
${panels.join("\n")}
${textAt(WIDTH / 2, HEIGHT - 12, "requests per second; a cross: does not keep up; a hollow dot: the machine was not quiet", "note middle")}
</svg>
`;
}

interface Point {
  readonly perSecond: number;
  readonly isCounted: boolean;
  /** Undefined: it did not keep up. */
  readonly rounds: readonly Latency[] | undefined;
}

const pointsOf = (rows: readonly SteadyRow[], contender: SteadyContender): Point[] =>
  rows
    .filter((row) => row.contender === contender)
    .map((row) => {
      const counted = countedRounds(rows, row).map(({ latency }) => latency);
      const rounds = counted.length > 0 ? counted : row.latencies;
      return {
        perSecond: row.perSecond,
        isCounted: counted.length > 0,
        rounds: rounds.every(keepsUp) ? rounds : undefined,
      };
    });

const medianOf = (rounds: readonly Latency[], figure: Figure): number =>
  median(rounds.map((latency) => latency[figure]));

const bottom = HEAD_HEIGHT + PLOT_HEIGHT;
const xOf = (perSecond: number, left: number, { most }: Scale): number => left + (perSecond / most) * PANEL_WIDTH;
const yOf = (ms: number, { low, high }: Scale): number =>
  bottom - ((Math.log10(ms) - low) / (high - low)) * PLOT_HEIGHT;

function drawLine(points: readonly Point[], figure: Figure, index: number, left: number, scale: Scale): string {
  const places = points.flatMap(({ perSecond, isCounted, rounds }) =>
    rounds ? [{ x: xOf(perSecond, left, scale), y: yOf(medianOf(rounds, figure), scale), isCounted }] : [],
  );
  const line = places.map(({ x, y }) => `${px(x)},${px(y)}`).join(" ");
  const dots = places.map(
    ({ x, y, isCounted }) => `<circle class="${isCounted ? "dot" : "open"}" cx="${px(x)}" cy="${px(y)}" r="3"/>`,
  );
  const crosses = points
    .filter(({ rounds }) => !rounds)
    .map(({ perSecond }) =>
      drawCross(xOf(perSecond, left, scale), HEAD_HEIGHT + (STEADY_CONTENDERS.length - 1 - index) * CROSS_STEP),
    );
  return `<g class="s${index}"><polyline class="line" points="${line}"/>${[...dots, ...crosses].join("")}</g>`;
}

/** The distance between the crosses of different contenders, which are above each other. */
const CROSS_STEP = 11;

const drawCross = (x: number, y: number): string =>
  `<path class="cross" d="M${px(x - 4)} ${px(y - 4)}l8 8m0 -8l-8 8"/>`;

const TICK_STEPS = [1_000, 2_000, 4_000, 5_000, 10_000, 20_000];

/** Decades and rates, without the values of the decades, which are on the left of all panels. */
function drawGrid(title: string, left: number, scale: Scale): string {
  const decades = decadesOf(scale).map((ms) => {
    const y = px(yOf(ms, scale));
    return `<line class="grid" x1="${px(left)}" x2="${px(left + PANEL_WIDTH)}" y1="${y}" y2="${y}"/>`;
  });
  const step = TICK_STEPS.find((step) => scale.most / step < 3.5) ?? scale.most;
  const rates = Array.from({ length: Math.floor(scale.most / step) }, (_, i) => (i + 1) * step);
  const ticks = rates.map((rate) => textAt(xOf(rate, left, scale), bottom + 16, whole(rate), "tick middle"));
  return [textAt(left, HEAD_HEIGHT - 12, title, "title"), ...decades, ...ticks].join("\n");
}

const decadesOf = ({ low, high }: Scale): number[] =>
  Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => 10 ** (Math.ceil(low) + i));

const drawLatencyTicks = (scale: Scale): string =>
  decadesOf(scale)
    .map((ms) =>
      textAt(
        MARGIN + AXIS_WIDTH - 8,
        yOf(ms, scale) + 4,
        ms < 1 ? String(Number(ms.toFixed(3))) : whole(ms),
        "tick end",
      ),
    )
    .join("\n");

const LEGEND_STEP = 120;

const drawLegend = (): string =>
  STEADY_CONTENDERS.map((name, i) => {
    const x = MARGIN + i * LEGEND_STEP;
    const y = MARGIN + 36;
    return `<g class="s${i}"><circle class="dot" cx="${px(x + 5)}" cy="${px(y - 4)}" r="5"/></g>${textAt(x + 16, y, name === "ceiling" ? "bare server" : name)}`;
  }).join("\n");
