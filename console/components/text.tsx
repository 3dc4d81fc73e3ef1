import type { Count } from "../../src/console/api/index.ts";
import { now } from "../clock.ts";
import { counted, grouped } from "../format/numbers.ts";
import { ago, ahead, expiry, moment, utc } from "../format/time.ts";

// Names, times and numbers wherever they are shown.

/** A name that somebody else has chosen: as text, and whatever its direction, it moves nothing around it. */
export const Name = ({ children }: { readonly children: string }) => (
  <bdi class="name" title={children.length > 40 ? children : undefined}>
    {children}
  </bdi>
);

const TIME_WORDS = { moment, ago, ahead, expiry } as const;

interface TimeProps {
  readonly ms: number;
  /** "14:36", "2 min ago", "in 46 days", or "31 Dec, 09:00, in 46 days". */
  readonly as?: keyof typeof TIME_WORDS;
}

/** In the viewer's zone; pointing at it shows UTC. */
export const Time = ({ ms, as = "moment" }: TimeProps) => (
  <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>
    {TIME_WORDS[as](ms, now.value)}
  </time>
);

/** Exact, in groups of three digits; also of a decimal string. */
export const Num = ({ value }: { readonly value: number | string }) => <>{grouped(value)}</>;

/** An estimate says "about", and pointing at it shows as of when it is. */
export const Counted = ({ count }: { readonly count: Count }) => (
  <span title={`As of ${moment(count.asOfMs, now.value)}`}>{counted(count)}</span>
);
