import { readFileSync } from "node:fs";

/** Beyond this, an operator decides whether more threads are worth their memory. */
const MAX_BY_DEFAULT = 8;
const CONTAINER_LIMIT = "/sys/fs/cgroup/cpu.max";

/** The default of THREADS: one for each core that the process may use, where threads can share a port. */
export const defaultThreads = (
  cores: number = navigator.hardwareConcurrency,
  limit = coresOfContainer(),
  platform: string = process.platform,
): number => (platform === "linux" ? Math.max(1, Math.min(cores, limit ?? cores, MAX_BY_DEFAULT)) : 1);

/** The number of cores that a container is limited to; undefined: it has no limit. */
export function coresOfContainer(read = () => readFileSync(CONTAINER_LIMIT, "utf8")): number | undefined {
  try {
    const [, quota, period] = /^(\d+) (\d+)/.exec(read()) ?? [];
    return quota === undefined ? undefined : Math.ceil(Number(quota) / Number(period));
  } catch {
    return undefined;
  }
}
