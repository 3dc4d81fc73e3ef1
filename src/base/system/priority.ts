import { constants, getPriority, setPriority } from "node:os";

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lets other programs have the processor first, as `nice` does; threads that are started afterwards inherit it. It is
 * for commands that only read: one that had to wait with the write lock in its hands would make the service wait, too.
 */
export function yieldProcessor(): void {
  // Only root may give a process that was started with `nice -n 19` a higher priority again.
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
}
