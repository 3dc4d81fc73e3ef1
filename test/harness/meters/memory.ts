import type { Clock } from "../../../src/base/time/clock.ts";
import { MemoryMeter } from "../../../src/meter/memory.ts";
import { newTableMemory, TallyTable, WAYS } from "../../../src/meter/tally-table.ts";

/** A meter that counts in memory of its own and saves nothing, with room for so many subjects: a power of two. */
export const openMemoryMeter = (clock: Clock, subjects = 32 * WAYS): MemoryMeter =>
  new MemoryMeter(clock, newTallyTable(clock, subjects));

export const newTallyTable = (clock: Clock, subjects = 32 * WAYS): TallyTable =>
  new TallyTable(newTableMemory(subjects), clock);
