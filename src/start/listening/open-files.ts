import { readdirSync, readFileSync, statSync } from "node:fs";

/** The number of open files and connections of this process, and its limit. */
export type OpenFiles = NonNullable<ReturnType<typeof openFiles>>;

const OPEN_FILES = "/proc/self/fd";
const LIMITS = "/proc/self/limits";

/** Undefined where the system does not tell, which is anywhere but on Linux. */
export function openFiles(countFiles = count) {
  try {
    // The soft limit, which Bun has raised to the hard one.
    const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1]);
    return Number.isNaN(limit) ? undefined : { limit, count: () => countUpTo(limit, countFiles) };
  } catch {
    return undefined;
  }
}

/** Since Linux 6.2 the folder's size is the count, which takes 3 µs; listing 10,000 of them takes 10 ms. */
const count = (): number => statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;

/** At the limit, the folder cannot even be listed. */
const countUpTo = (limit: number, count: () => number): number => {
  try {
    return count();
  } catch {
    return limit;
  }
};
