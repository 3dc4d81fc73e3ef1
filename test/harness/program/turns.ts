import type { Subprocess } from "bun";

const TURN_MS = 20;

/**
 * Lets a process run in short turns until something holds, and leaves it stopped. However busy the machine is, the
 * process does not get far before that is noticed.
 */
export async function stopWhen(child: Subprocess, holds: () => boolean | Promise<boolean>): Promise<void> {
  do {
    child.kill("SIGCONT");
    await Bun.sleep(TURN_MS);
    child.kill("SIGSTOP");
  } while (child.exitCode === null && !(await holds()));
}
