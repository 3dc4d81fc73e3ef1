import type { Link } from "./link.ts";

/** Reads share few connections until each has this many: that is faster than spreading them. */
export const PIPELINED_READS = 16;

/** The first with room and without a write, which might wait for a lock; else the least busy. */
export function linkForRead(links: readonly Link[], nowMs: number): Link | undefined {
  for (const link of links) if (link.inFlight < PIPELINED_READS && link.writes === 0 && link.isFree(nowMs)) return link;
  return leastBusy(links, nowMs);
}

/** Searches from the end, since reads are at the beginning. */
export function leastBusy(links: readonly Link[], nowMs: number): Link | undefined {
  let found: Link | undefined;
  for (let i = links.length - 1; i >= 0; i--) {
    const link = links[i] as Link;
    if (link.isFree(nowMs) && (!found || link.inFlight < found.inFlight)) found = link;
    if (found?.inFlight === 0) return found;
  }
  return found;
}
