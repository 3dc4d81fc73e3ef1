import { readdirSync, readFileSync } from "node:fs";

// Readings from Linux's /proc. CPU time is the robust measure: other processes affect how long things take, but hardly
// the CPU time that they need.

const TICKS_PER_SECOND = 100;

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, "utf8");

const inStatus = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(statusOf(pid))?.[1] ?? 0);

/** Current resident memory in MB. */
export const memoryMb = (pid: number): number => inStatus(pid, "VmRSS") / 1024;

/** CPU time of all threads since the start, in ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

export const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** The value once it has stopped falling: memory that was needed briefly is returned after a while. */
export async function settled(read: () => number, tolerance: number, timeoutMs: number): Promise<number> {
  const deadlineMs = performance.now() + timeoutMs;
  let last = read();
  for (;;) {
    await Bun.sleep(250);
    const now = read();
    if (now >= last - tolerance || performance.now() >= deadlineMs) return now;
    last = now;
  }
}

/** A percentile: `percentile(times, 0.99)`. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
