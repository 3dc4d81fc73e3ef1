import { join } from "node:path";
import { serve } from "../../test/harness/program/program.ts";
import type { Course } from "../common/attack.ts";
import type { Moment } from "../ledger/history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { checkIntegrity, cutPower } from "./cut.ts";
import { DATABASE, type Stage } from "./stage.ts";

/** The extent of a scene: small in `npm test`. */
export interface Effort {
  readonly loadMs: number;
  /** The number of cuts, and the number of possible states to check after each. */
  readonly cuts: number;
  readonly states: number;
  /** One of this many states is not only opened but served. */
  readonly serveOneIn: number;
}

interface Comparison {
  readonly course: Course;
  readonly round: number;
  readonly effort: Effort;
  readonly stage: Stage;
  readonly ledger: Ledger;
  /** Cuts come only after this time. */
  readonly from?: Moment;
  readonly checkMore?: (folder: string, at: Moment) => void;
}

/** Cuts the power, opens or serves the resulting states, and compares them with what was acknowledged. */
export async function cutAndCompare({
  course,
  round,
  effort,
  stage,
  ledger,
  from,
  checkMore,
}: Comparison): Promise<void> {
  const { board } = course;
  const random = course.randomOf(round, 1);
  await cutPower(stage, {
    ...{ ...effort, board, random, from, isOver: course.isOver },
    check: async ({ folder, at, where }) => {
      const database = join(folder, DATABASE);
      const isServed = random.chance(1 / effort.serveOneIn);
      // The service goes first, so that it meets the untouched state.
      if (isServed) await checkStart(folder);
      if (isServed) board.count("started again");
      checkIntegrity(database);
      ledger.check(database, at, where);
      checkMore?.(folder, at);
    },
  });
}

/** Whatever a power cut has left, the service must start on it and answer. */
async function checkStart(folder: string): Promise<void> {
  const service = await serve({ cwd: folder, env: { LOG_LEVEL: "silent" } });
  try {
    const { status } = await fetch(`${service.origin}/readyz`);
    if (status !== 200) throw new Error(`the service started again is not ready: ${status}`);
  } finally {
    await service.kill("SIGKILL");
  }
}
