import { MINUTE_MS } from "../base/time/clock.ts";
import type { Log, RefusalLine, RefusalLog } from "./log.ts";
import { Repeats, type RepeatsParts } from "./repeats.ts";

export interface RefusalLogParts extends Pick<RepeatsParts<unknown>, "schedule"> {
  readonly log: Pick<Log, "info">;
  readonly nowMs?: () => number;
}

/** Of requests that need no key, or one that does not work, anyone can send as many as they like. */
const LINES_PER_MINUTE = 600;

/**
 * Who is refused, and why. Whoever floods the service must not fill the disk: of one caller and code, the first refusal
 * is logged, then once a minute how many more there were, and only so many callers are told apart.
 */
export function createRefusalLog({ log, nowMs = monotonic, ...parts }: RefusalLogParts): RefusalLog {
  const refusals = new Repeats<RefusalLine>({
    ...parts,
    shows: "first",
    intervalMs: MINUTE_MS,
    write: ({ request, ...refused }, repeated, isMixed) => {
      if (!repeated) log.info({ ...request, ...refused }, "request refused");
      else if (isMixed) log.info({ code: refused.code, repeated }, "requests of other callers refused");
      else log.info({ ...refused, repeated }, "request refused");
    },
  });
  let minuteEndsAtMs = 0;
  let lines = 0;
  return {
    report: (code, subject, line) => refusals.report(`${code} ${subject}`, code, line),
    mayLogEach() {
      const now = nowMs();
      if (now >= minuteEndsAtMs) {
        minuteEndsAtMs = now + MINUTE_MS;
        lines = 0;
      }
      return ++lines <= LINES_PER_MINUTE;
    },
    close: () => refusals.close(),
  };
}

const monotonic = (): number => performance.now();
