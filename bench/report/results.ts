import type { Settings } from "../common/settings.ts";
import type { CostRow } from "../measures/cost.ts";
import type { MemoryResult } from "../measures/memory.ts";
import type { ScaleRow } from "../measures/scale.ts";
import type { StartRow } from "../measures/startup.ts";
import type { SteadyResult } from "../measures/steady.ts";
import type { JobRow } from "../measures/steady-jobs.ts";
import type { ThreadsRow } from "../measures/threads.ts";
import type { Series } from "../measures/throughput.ts";
import type { WritesRow } from "../measures/writes.ts";
import type { Machine } from "./machine.ts";

export const PARTS = ["throughput", "steady", "threads", "writes", "scale", "cost", "start", "memory"] as const;
export type Part = (typeof PARTS)[number];

/** The results of a run, without the parts that were left out. */
export interface Results {
  readonly machine: Machine;
  readonly command: string;
  /** The revision that this one was compared with, if any. */
  readonly against?: string;
  readonly minutes: number;
  readonly settings: Settings;
  readonly throughput?: readonly Series[];
  readonly steady?: SteadyResult;
  /** Measured together with `steady`. */
  readonly jobs?: readonly JobRow[];
  readonly threads?: readonly ThreadsRow[];
  readonly writes?: readonly WritesRow[];
  readonly scale?: readonly ScaleRow[];
  readonly cost?: readonly CostRow[];
  readonly start?: readonly StartRow[];
  readonly memory?: MemoryResult;
}
