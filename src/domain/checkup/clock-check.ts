import { SECOND_MS } from "../../base/time/clock.ts";
import { type Finding, ok, problem, warning } from "./checkup.ts";

// A wrong clock makes keys expire, windows end and bans pass at the wrong time.

const SET_THE_CLOCK = "set the clock of this machine, for example with: timedatectl set-ntp true";
/** Another machine, whose clock is ahead by this much, may have made a record. */
const AHEAD_MS = 60 * SECOND_MS;
const DIFFERENCE_MS = 2 * SECOND_MS;

/** A clock that is before the newest record was ahead then, or is behind now. */
export function checkAgainstRecords(nowMs: number, newestMs: number | undefined): Finding {
  const now = new Date(nowMs).toISOString();
  if (newestMs === undefined || newestMs <= nowMs + AHEAD_MS) return ok(`${now}, after everything that is recorded`);
  return problem(
    `it says ${now}, and the newest record is from ${new Date(newestMs).toISOString()}`,
    `${SET_THE_CLOCK}. If it is right, it was wrong before, and keys, bans and quotas may end late`,
  );
}

/** Compares this clock with that of a server, which was asked between two moments. */
export function compareClocks(server: string, serverMs: number, askedMs: number, answeredMs: number): Finding {
  const differenceMs = serverMs < askedMs ? serverMs - askedMs : serverMs > answeredMs ? serverMs - answeredMs : 0;
  if (Math.abs(differenceMs) <= DIFFERENCE_MS) return ok(`the same as the clock of ${server}`);
  const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
  return warning(
    `it is ${seconds} seconds ${differenceMs > 0 ? "behind" : "ahead of"} the clock of ${server}`,
    `${SET_THE_CLOCK}, and the clock of the server likewise`,
  );
}
