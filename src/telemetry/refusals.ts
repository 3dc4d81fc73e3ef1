import { MINUTE_MS } from "../base/time/clock.ts";
import { RateLimit } from "../base/time/rate-limit.ts";
import type { Log, RefusalLine, RefusalLog } from "./log.ts";
import { Repeats, type RepeatsParts } from "./repeats.ts";

export interface RefusalLogParts extends Pick<RepeatsParts<unknown>, "schedule"> {
  readonly log: Pick<Log, "info">;
  readonly nowMs?: () => number;
}

/** Anyone can send any number of requests without a valid key. */
const LINES_PER_MINUTE = 600;

/**
 * Logs who is refused, and why. A flood must not fill the disk: the first refusal of a caller and code is logged, then
 * once a minute the number of further ones, and the number of callers that are told apart is bounded.
 */
export function createRefusalLog({ log, nowMs, ...parts }: RefusalLogParts): RefusalLog {
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
  const lines = new RateLimit(LINES_PER_MINUTE, MINUTE_MS, nowMs);
  return {
    report: (code, subject, line) => refusals.report(`${code} ${subject}`, code, line),
    mayLogEach: () => !lines.isReached(),
    close: () => refusals.close(),
  };
}
