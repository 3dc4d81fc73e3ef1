import type { CostRow } from "./cost.ts";
import type { Machine } from "./machine.ts";
import type { MemoryResult } from "./memory.ts";
import type { ScaleRow } from "./scale.ts";
import type { Settings } from "./settings.ts";
import type { StartRow } from "./startup.ts";
import type { ThreadsRow } from "./threads.ts";
import type { Series } from "./throughput.ts";
import type { WritesRow } from "./writes.ts";

export const PARTS = ["throughput", "threads", "writes", "scale", "cost", "start", "memory"] as const;
export type Part = (typeof PARTS)[number];

/** Everything that a run has measured; parts that were left out are absent. */
export interface Results {
  readonly machine: Machine;
  readonly command: string;
  /** The revision that this one was compared with, if any. */
  readonly against?: string;
  readonly minutes: number;
  readonly settings: Settings;
  readonly throughput?: readonly Series[];
  readonly threads?: readonly ThreadsRow[];
  readonly writes?: readonly WritesRow[];
  readonly scale?: readonly ScaleRow[];
  readonly cost?: readonly CostRow[];
  readonly start?: readonly StartRow[];
  readonly memory?: MemoryResult;
}
