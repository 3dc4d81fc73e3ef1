import { type AttackOptions, begin } from "../common/attack.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { type Measured, measure } from "./measure.ts";
import { ROWS, type Row } from "./rows.ts";
import { ms, note } from "./table.ts";

/** The limit of the good client's p99, as a multiple of that beside the same attack on the control server. */
const P99_FACTOR_MAX = 2;
const PARTS_PER_ROW = 4;

/** Runs each attacker beside a good client. A round is all rows; a long run gives each row more time. */
export async function run(options: AttackOptions): Promise<Scoreboard> {
  const { board, log, rounds } = begin(options);
  const seconds = Math.min(10, Math.max(2, ((options.minutes ?? 1) * 60) / (ROWS.length * PARTS_PER_ROW)));
  log(`${seconds.toFixed(1)} s per measurement; times of the good client in ms: p50 / p99 / max`);
  for (const _ of rounds())
    for (const row of ROWS) {
      if (options.signal?.aborted) break;
      const measured = await measure(row, { seconds, withControl: true });
      log(lineOn(row, measured));
      judge(board, row, measured);
      note(board.row(row.name), measured);
    }
  return board;
}

const times = (day: { p50: number; p99: number; max: number } | undefined): string =>
  day ? `${ms(day.p50)} / ${ms(day.p99)} / ${ms(day.max)}` : "-";

export function lineOn({ name }: Row, measured: Measured): string {
  const { alone, control, attacked, toll, processorMsPerRequest, memoryMb, recoveredMs, descriptorsLeft } = measured;
  return [
    name.padEnd(34),
    `alone ${times(alone)}`,
    `control ${times(control)}`,
    `attacked ${times(attacked)}, ${attacked.unanswered} unanswered`,
    `${toll.requests} requests, ${toll.answers} answers, ${toll.closed} closed`,
    `${processorMsPerRequest.toFixed(3)} ms CPU each`,
    `+${Math.round(memoryMb)} MB`,
    recoveredMs === undefined ? "not recovered" : `recovered in ${Math.round(recoveredMs)} ms`,
    `+${descriptorsLeft} descriptors`,
  ].join("; ");
}

/** Records the harm that an attack must not do. */
export function judge(board: Scoreboard, row: Row, measured: Measured): void {
  const { control, attacked, toll, processorMsPerRequest, memoryMb, recoveredMs, descriptorsLeft } = measured;
  const check = (holds: boolean, text: string): boolean => board.check(holds, `${row.name}: ${text}`);
  board.count("attacks");
  board.count("hostile requests", toll.requests);
  board.count("good requests", attacked.requests);
  board.highest("slowest good request, ms", attacked.max);
  check(toll.requests > 0, "the attacker could send nothing, so nothing was shown");
  check(
    attacked.unanswered <= (row.unansweredShareMax ?? 0) * attacked.requests,
    `${attacked.unanswered} of ${attacked.requests} good requests were not answered`,
  );
  check(
    processorMsPerRequest <= row.processorMsMax,
    `a request costs ${processorMsPerRequest.toFixed(3)} ms of processor time; at most ${row.processorMsMax} ms are right`,
  );
  check(
    memoryMb <= row.memoryMaxMb,
    `memory rose by ${Math.round(memoryMb)} MB; at most ${row.memoryMaxMb} MB are right`,
  );
  check(recoveredMs !== undefined, "the service did not recover after the attack");
  check(descriptorsLeft <= 20, `${descriptorsLeft} descriptors were still open after the attack`);
  if (control)
    check(
      attacked.p99 <= Math.max(row.p99MaxMs, P99_FACTOR_MAX * control.p99),
      `the good client's p99 is ${ms(attacked.p99)} ms, and ${ms(control.p99)} ms when the same attack goes elsewhere`,
    );
}
