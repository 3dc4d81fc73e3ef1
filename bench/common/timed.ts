import { readFileSync } from "node:fs";

export interface Ran {
  readonly seconds: number;
  /** Peak of the resident memory. */
  readonly megabytes: number;
}

const SAMPLE_EVERY_MS = 20;

/** Runs a command to its end. Throws if it fails. */
export async function timed(command: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ran> {
  const beganMs = performance.now();
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let megabytes = 0;
  const sampling = setInterval(() => {
    megabytes = peakOf(child.pid) ?? megabytes;
  }, SAMPLE_EVERY_MS);
  const [exitCode, err] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  clearInterval(sampling);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${err}`);
  return { seconds: (performance.now() - beganMs) / 1000, megabytes };
}

/** Undefined once the process has ended. Its resource usage would not do: Linux counts what its parent had, too. */
function peakOf(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
