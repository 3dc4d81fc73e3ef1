// CPU time of processes and threads, from Linux's /proc.

import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface Status {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly micros: number;
  /** CPU time of children that have ended. */
  readonly childrenMicros: number;
}

/** Microseconds of CPU time that a process and its children have used so far. */
export function microsOfFamily(pid: number): number {
  const family = statuses().filter((status) => status.pid === pid || status.parent === pid);
  return family.reduce((sum, { micros }) => sum + micros, 0);
}

/** Microseconds of CPU time that each thread of a process has used so far, by thread id. */
export function microsOfThreads(pid: number): Map<string, { readonly name: string; readonly micros: number }> {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    const status = statusOf(pid, `/task/${id}`);
    return status ? [[id, status] as const] : [];
  });
  return new Map(threads);
}

/** The pid of this process's child of that name. */
export function childNamed(name: string): number {
  const child = statuses().find((status) => status.parent === process.pid && status.name === name);
  if (!child) throw new Error(`${name} is not running`);
  return child.pid;
}

/** Microseconds of CPU time that ended children of this process have used, such as wrk. */
export const microsOfEndedChildren = (): number => statusOf(process.pid)?.childrenMicros ?? 0;

const statuses = (): Status[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statusOf(Number(name)) ?? []);

/** Undefined if the process has ended. */
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
