import { median, whole } from "../common/tools.ts";
import { CONTENDER_NAMES, type ContenderName, WORKLOADS } from "../common/workloads.ts";
import type { Series } from "../measures/throughput.ts";
import { perSecondOf } from "./targets.ts";

const WIDTH = 760;
const LABEL_WIDTH = 150;
const VALUE_WIDTH = 90;
const BAR_HEIGHT = 14;
const ROW_HEIGHT = 21;
const TITLE_HEIGHT = 30;
const GROUP_GAP = 12;
const MARGIN = 20;
const HEAD_HEIGHT = 58;

/** The colours work on white and on black. Text follows the reader's colour scheme. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .head { font-size: 17px; font-weight: 600 }
  .title { font-weight: 600 }
  .note { fill: #59636e }
  .ground { fill: #ffffff }
  .spread { stroke: #1f2328; stroke-width: 1.5 }
  .c0 { fill: #1a7f5a } .c1 { fill: #57ab8a } .c2 { fill: #c9893a }
  .c3, .c4 { fill: #8c959f } .c5 { fill: #adb5bd } .c6, .c7 { fill: #5b8def }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .ground { fill: #0d1117 }
    .spread { stroke: #e6edf3 }
    .c0 { fill: #2ea97c } .c1 { fill: #1f7a5c } .c3, .c4 { fill: #7d8590 } .c5 { fill: #545d68 }
  }`;

interface Group {
  readonly title: string;
  readonly bars: readonly { readonly name: ContenderName; readonly rates: readonly number[] }[];
}

/** Draws a bar chart of requests/s, grouped by workload, each group with its own scale. */
export function drawPicture(series: readonly Series[], connections: number): string {
  const groups: Group[] = WORKLOADS.map(({ name, title }) => ({
    title,
    bars: series
      .filter(({ work }) => work === name)
      .map(({ contender, measures }) => ({ name: contender, rates: perSecondOf(measures) })),
  }));
  let y = MARGIN + HEAD_HEIGHT;
  const parts: string[] = [];
  for (const group of groups) {
    parts.push(drawGroup(group, y));
    y += TITLE_HEIGHT + group.bars.length * ROW_HEIGHT + GROUP_GAP;
  }
  const note = `Median, with the spread of all rounds as a line. ${connections} connections. Each group has its own scale.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-label="Requests per second of each contender">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${y}" rx="8"/>
${textAt(MARGIN, MARGIN + 16, "Requests per second, higher is better", "head")}
${textAt(MARGIN, MARGIN + 38, note, "note")}
${parts.join("\n")}
</svg>
`;
}

function drawGroup({ title, bars }: Group, top: number): string {
  const most = Math.max(...bars.flatMap(({ rates }) => rates));
  const perUnit = (WIDTH - 2 * MARGIN - LABEL_WIDTH - VALUE_WIDTH) / most;
  const left = MARGIN + LABEL_WIDTH;
  const rows = bars.map(({ name, rates }, i) => {
    const y = top + TITLE_HEIGHT + i * ROW_HEIGHT;
    const [x1, x2] = [left + Math.min(...rates) * perUnit, left + Math.max(...rates) * perUnit];
    const width = median(rates) * perUnit;
    const middle = y + BAR_HEIGHT / 2;
    const spreadLine =
      rates.length > 1 ? `<line class="spread" x1="${px(x1)}" x2="${px(x2)}" y1="${middle}" y2="${middle}"/>` : "";
    return `${textAt(MARGIN, y + 12, name)}
<rect class="c${CONTENDER_NAMES.indexOf(name)}" x="${left}" y="${y}" width="${px(width)}" height="${BAR_HEIGHT}" rx="2"/>${spreadLine}
${textAt(Math.max(x2, left + width) + 8, y + 12, whole(median(rates)))}`;
  });
  return [textAt(MARGIN, top + 18, title, "title"), ...rows].join("\n");
}

export const px = (value: number): string => value.toFixed(1);

export const textAt = (x: number, y: number, text: string, kind?: string): string =>
  `<text${kind ? ` class="${kind}"` : ""} x="${px(x)}" y="${px(y)}">${text}</text>`;
