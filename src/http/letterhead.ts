import { SECOND_MS, toWholeSeconds } from "../domain/clock.ts";
import type { Standing } from "../domain/tally.ts";
import type { QuotaStanding } from "../domain/window.ts";

/** Header fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** The fields that every response has, with values of its own. */
const EVERY_TIME = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

/**
 * The headers of all responses of one kind, made once: a Response takes a copy of them. Before each,
 * every field is set that may differ from the one before, so nothing of another's is ever shown.
 */
export class Letterhead {
  readonly #headers: Headers;
  readonly #wider = new Map<Fields, Letterhead>();
  #shown: Standing | undefined;
  #varyingValue: string | undefined;

  /** The fields that are the same on all of them, and the name of the one that is not. */
  constructor(
    private readonly fixed: Fields = {},
    private readonly varying?: string,
  ) {
    this.#headers = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
    // So that they come in an order that people can read.
    for (const name of EVERY_TIME) this.#headers.set(name, "");
    for (const name in fixed) this.#headers.set(name, fixed[name] as string);
  }

  /** The same with more fields. They are few and made at the start, so each such letterhead is kept. */
  with(fields: Fields): Letterhead {
    let wider = this.#wider.get(fields);
    if (!wider) {
      wider = new Letterhead({ ...fields, ...this.fixed }, this.varying);
      this.#wider.set(fields, wider);
    }
    return wider;
  }

  /** The headers of one response, to be copied at once. */
  headersFor(requestId: string, standing: Standing, varyingValue: string): Headers {
    const headers = this.#headers;
    const { shown, minute, day, atMs } = standing;
    if (!this.#shown || !isSameWindow(this.#shown, standing)) {
      headers.set("X-RateLimit-Limit", String(shown.quota));
      headers.set("X-RateLimit-Reset", String(toWholeSeconds(shown.resetAtMs)));
      headers.set("RateLimit-Policy", day ? `${policyItem(minute)}, ${policyItem(day)}` : policyItem(minute));
      this.#shown = standing;
    }
    headers.set("X-RateLimit-Remaining", String(shown.remaining));
    headers.set("RateLimit", day ? `${limitItem(minute, atMs)}, ${limitItem(day, atMs)}` : limitItem(minute, atMs));
    headers.set("X-Request-Id", requestId);
    if (this.varying !== undefined && this.#varyingValue !== varyingValue) {
      headers.set(this.varying, varyingValue);
      this.#varyingValue = varyingValue;
    }
    return headers;
  }
}

/** Whether the fields that only the window decides are the same. */
const isSameWindow = (a: Standing, b: Standing): boolean =>
  a.shown.quota === b.shown.quota &&
  a.shown.resetAtMs === b.shown.resetAtMs &&
  a.minute.quota === b.minute.quota &&
  a.day?.quota === b.day?.quota;

const policyItem = ({ window, quota }: QuotaStanding): string =>
  `"${window.name}";q=${quota};w=${window.lengthMs / SECOND_MS}`;

const limitItem = ({ window, remaining, resetAtMs }: QuotaStanding, atMs: number): string =>
  `"${window.name}";r=${remaining};t=${Math.max(0, toWholeSeconds(resetAtMs - atMs))}`;
