import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { mean, say } from "../common/tools.ts";
import { mixedRequests } from "../common/workloads.ts";
import { startService } from "../contenders/service.ts";
import { measure, writeRequests } from "../load/load.ts";

export interface MemoryResult {
  readonly animals: number;
  readonly afterStartMb: number;
  readonly afterLoadMb: number;
  /** Samples taken after that. */
  readonly samplesMb: readonly number[];
  readonly firstMinuteMb: number;
  readonly lastMinuteMb: number;
  readonly perSecond: number;
}

const SAMPLE_EVERY_SECONDS = 10;
const SAMPLES_PER_MINUTE = 6;

/** Measures resident memory with the largest database, under the mix. */
export async function measureMemory(stage: Stage): Promise<MemoryResult> {
  const { sizes, connections, memoryLoadSeconds, memoryWatchSeconds } = stage.settings;
  const animals = Math.max(...sizes);
  const store = await stage.sharedStore(animals);
  const requestsFile = await writeRequests(join(stage.folder, "mix-large.requests"), mixedRequests(animals));
  const { origin, pid, stop } = await startService(store);
  const afterStartMb = await residentMb(pid);
  say(`memory after the start: ${afterStartMb.toFixed(0)} MB`);

  const seconds = memoryLoadSeconds + memoryWatchSeconds;
  const load = measure({ origin, secret: store.secret, connections, seconds, requestsFile });
  // A failed load ends the measurement at once.
  const watch = (seconds: number) => Promise.race([Bun.sleep(seconds * 1000), load]);
  await watch(memoryLoadSeconds);
  const afterLoadMb = await residentMb(pid);
  say(`memory after ${memoryLoadSeconds} s of the mix: ${afterLoadMb.toFixed(0)} MB`);
  const samplesMb: number[] = [];
  for (let i = 1; i <= memoryWatchSeconds / SAMPLE_EVERY_SECONDS; i++) {
    await watch(SAMPLE_EVERY_SECONDS);
    samplesMb.push(await residentMb(pid));
    say(`memory ${i * SAMPLE_EVERY_SECONDS} s later: ${samplesMb.at(-1)?.toFixed(0)} MB`);
  }
  const { perSecond } = await load;
  await stop();
  const width = Math.min(SAMPLES_PER_MINUTE, Math.ceil(samplesMb.length / 2));
  return {
    animals,
    afterStartMb,
    afterLoadMb,
    samplesMb,
    firstMinuteMb: mean(samplesMb.slice(0, width)),
    lastMinuteMb: mean(samplesMb.slice(-width)),
    perSecond,
  };
}

export async function residentMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  const kibibytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
  return (kibibytes * 1024) / 1e6;
}
