import { readFileSync } from "node:fs";

/** Beyond this, it is for an operator to say whether more threads are worth their memory. */
const MAX_BY_DEFAULT = 8;
const CONTAINER_LIMIT = "/sys/fs/cgroup/cpu.max";

/** How many threads serve unless a setting says so: one for each core that this process may use. */
export const defaultThreads = (
  cores: number = process.getBuiltinModule("node:os").availableParallelism(),
  limit = coresOfContainer(),
): number => Math.max(1, Math.min(cores, limit ?? cores, MAX_BY_DEFAULT));

/** A container may be limited to a part of the cores that it sees; undefined if it is not. */
export function coresOfContainer(read = () => readFileSync(CONTAINER_LIMIT, "utf8")): number | undefined {
  try {
    const [, quota, period] = /^(\d+) (\d+)/.exec(read()) ?? [];
    return quota === undefined ? undefined : Math.ceil(Number(quota) / Number(period));
  } catch {
    return undefined;
  }
}
