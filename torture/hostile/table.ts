import type { Scoreboard } from "../common/scoreboard.ts";
import type { Measured } from "./measure.ts";

export const ms = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

const FIGURES = {
  control: "beside the same attack on the control server, p99, ms",
  median: "beside the attack, p50, ms",
  p99: "beside the attack, p99, ms",
  slowest: "beside the attack, slowest, ms",
  good: "good requests",
  unanswered: "good requests not answered",
  hostile: "hostile requests",
  processor: "CPU for each hostile request, ms",
  memory: "memory above that of an idle service, MB",
} as const;

/** Notes the figures of a row for the table. Of several rounds, it has the worst times. */
export function note(row: Scoreboard, { control, attacked, toll, processorMsPerRequest, memoryMb }: Measured): void {
  row.highest(FIGURES.control, control?.p99 ?? 0);
  row.highest(FIGURES.median, attacked.p50);
  row.highest(FIGURES.p99, attacked.p99);
  row.highest(FIGURES.slowest, attacked.max);
  row.count(FIGURES.good, attacked.requests);
  row.count(FIGURES.unanswered, attacked.unanswered);
  row.count(FIGURES.hostile, toll.requests);
  row.highest(FIGURES.processor, processorMsPerRequest);
  row.highest(FIGURES.memory, memoryMb);
}

/** The table of all rows in docs/reliability.md. */
export function table(rows: ReadonlyMap<string, Scoreboard>): string {
  const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
  const lines = [...rows].map(([name, row]) => {
    const of = (figure: keyof typeof FIGURES): number => row.of(FIGURES[figure]);
    return [
      name,
      ms(of("control")),
      `${ms(of("median"))} / ${ms(of("p99"))} / ${ms(of("slowest"))}`,
      `${whole(of("unanswered"))} of ${whole(of("good"))}`,
      whole(of("hostile")),
      `${of("processor").toFixed(3)} ms`,
      `${whole(of("memory"))} MB`,
    ];
  });
  const columns = ["attack", "control, p99", "now, p50 / p99 / slowest", "not answered", "hostile requests"];
  const head = [...columns, "CPU for each", "memory above idle"];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
