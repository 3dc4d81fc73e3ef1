import type { Count } from "../../src/console/api/index.ts";
import { now } from "../clock.ts";
import { counted, grouped } from "../format/numbers.ts";
import { ago, ahead, expiry, moment, second, utc } from "../format/time.ts";

// Names, times and numbers in text.

/** A user-supplied name, isolated so that right-to-left text does not reorder what is around it. */
export const Name = ({ children }: { readonly children: string }) => (
  <bdi class="name" title={children.length > 40 ? children : undefined}>
    {children}
  </bdi>
);

const TIME_FORMATS = { moment, second, ago, ahead, expiry } as const;

interface TimeProps {
  readonly ms: number;
  /** "14:36", "14:36:02", "2 min ago", "in 46 days", or "31 Dec, 09:00, in 46 days". */
  readonly as?: keyof typeof TIME_FORMATS;
}

/** A time in the viewer's time zone, with UTC as its tooltip. */
export const Time = ({ ms, as = "moment" }: TimeProps) => (
  <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>
    {TIME_FORMATS[as](ms, now.value)}
  </time>
);

/** A number, or a decimal string, with all digits in groups of three. */
export const Num = ({ value }: { readonly value: number | string }) => <>{grouped(value)}</>;

/** A count, with "about" for an estimate, and its time as a tooltip. */
export const Counted = ({ count }: { readonly count: Count }) => (
  <span title={`As of ${moment(count.asOfMs, now.value)}`}>{counted(count)}</span>
);
