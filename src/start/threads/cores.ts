import { readFileSync } from "node:fs";

/** Beyond this, it is for an operator to say whether more threads are worth their memory. */
const MAX_BY_DEFAULT = 8;
const CONTAINER_LIMIT = "/sys/fs/cgroup/cpu.max";

/** How many threads serve unless a setting says so: one for each core that it may use, where they can share a port. */
export const defaultThreads = (
  cores: number = navigator.hardwareConcurrency,
  limit = coresOfContainer(),
  platform: string = process.platform,
): number => (platform === "linux" ? Math.max(1, Math.min(cores, limit ?? cores, MAX_BY_DEFAULT)) : 1);

/** A container may be limited to a part of the cores that it sees; undefined if it is not. */
export function coresOfContainer(read = () => readFileSync(CONTAINER_LIMIT, "utf8")): number | undefined {
  try {
    const [, quota, period] = /^(\d+) (\d+)/.exec(read()) ?? [];
    return quota === undefined ? undefined : Math.ceil(Number(quota) / Number(period));
  } catch {
    return undefined;
  }
}
