// What a benchmark's processes cost: CPU time, as Linux tells it.

import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface Status {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly micros: number;
  /** Of the children that have ended. */
  readonly childrenMicros: number;
}

/** Microseconds of CPU time that a process has used so far, together with those that it started. */
export function microsOfFamily(pid: number): number {
  const family = statuses().filter((status) => status.pid === pid || status.parent === pid);
  return family.reduce((sum, { micros }) => sum + micros, 0);
}

/** The same of each of its threads, by thread id. */
export function microsOfThreads(pid: number): Map<string, { readonly name: string; readonly micros: number }> {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    const status = statusOf(pid, `/task/${id}`);
    return status ? [[id, status] as const] : [];
  });
  return new Map(threads);
}

/** The process of this name that this one has started. */
export function childNamed(name: string): number {
  const child = statuses().find((status) => status.parent === process.pid && status.name === name);
  if (!child) throw new Error(`${name} is not running`);
  return child.pid;
}

/** Microseconds that the processes took which this one has started and which have ended, such as wrk. */
export const microsOfEndedChildren = (): number => statusOf(process.pid)?.childrenMicros ?? 0;

const statuses = (): Status[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statusOf(Number(name)) ?? []);

/** Undefined when it has ended. */
function statusOf(pid: number, thread = ""): Status | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}${thread}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name may contain spaces and brackets.
  const end = line.lastIndexOf(")");
  const fields = line.slice(end + 2).split(" ");
  const micros = (from: number) => ((Number(fields[from]) + Number(fields[from + 1])) * 1e6) / TICKS_PER_SECOND;
  return {
    pid,
    name: line.slice(line.indexOf("(") + 1, end),
    parent: Number(fields[1]),
    micros: micros(11),
    childrenMicros: micros(13),
  };
}
