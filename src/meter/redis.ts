import type { Awaitable } from "../domain/awaitable.ts";
import type { Clock } from "../domain/clock.ts";
import { standingOf, type Tally, type Terms, type Verdict } from "../domain/tally.ts";
import { DAY, MINUTE } from "../domain/window.ts";
import type { Meter } from "./meter.ts";
import type { RedisClient } from "./redis-client.ts";

export interface RedisMeterParts {
  readonly client: RedisClient;
  /** Counts for this instance alone while Redis does not answer. */
  readonly fallback: Meter;
  readonly clock: Clock;
  /** Hears when the fallback takes over, and when Redis is back. */
  readonly onChange: (isDegraded: boolean, error?: unknown) => void;
  /** Which clock the script goes by; absent: that of Redis itself, the same for all instances. */
  readonly scriptClock?: Clock;
}

/** A subject that is refused until a known moment, so that Redis need not be asked. */
interface Refusal {
  readonly tally: Tally;
  /** How far the clock that the script goes by is ahead of ours. */
  readonly aheadMs: number;
  /** Before this moment our clock was set back, and we know nothing. */
  readonly sinceMs: number;
  /** When anything of the tally changes by itself: a window or the ban ends. */
  readonly untilMs: number;
  /** Refusals that Redis has not heard of. */
  unreported: number;
  /** How many more refusals lead to a ban, as far as this instance knows. */
  strikesLeft: number;
  /** The ban came by strikes that were told later, so no verdict has said yet that it is new. */
  isUntoldBan: boolean;
}

/** An answer that takes longer is not waited for: with what follows it stays below 200 ms. */
const ANSWER_WITHIN_MS = 150;
const PROBE_AFTER_MS = 250;
const PROBE_AFTER_MAX_MS = 10_000;
const SHORT_RECOVERY_MS = 10_000;
const REPORT_STRIKES_EVERY_MS = 100;
const CLOCK_LEEWAY_MS = 1_000;
const MAX_REFUSALS = 50_000;
const PROBE_SUBJECT = "probe";
const PROBE_TERMS: Terms = { perMinute: 1, pardonedAtMs: -1 };
const KINDS = ["pass", "exhausted", "banned"] as const;

/** Counts for all instances together: one script, one round trip, and none for who is refused anyway. */
export class RedisMeter implements Meter {
  readonly #refusals = new Map<string, Refusal>();
  readonly #unreported = new Map<string, Terms>();
  #isDegraded = false;
  #isDoubted = false;
  #probeAfterMs = PROBE_AFTER_MS;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;
  #probe: Timer | undefined;
  #report: Timer | undefined;

  constructor(private readonly parts: RedisMeterParts) {}

  judge(subject: string, terms: Terms): Awaitable<Verdict> {
    if (this.#isDegraded) return this.parts.fallback.judge(subject, terms);
    return this.#refuseByMemory(subject, terms) ?? this.#ask(subject, terms);
  }

  /** Forgets the timers and the connection. */
  close(): void {
    clearTimeout(this.#probe);
    clearTimeout(this.#report);
    this.parts.client.disconnect();
  }

  async #ask(subject: string, terms: Terms): Promise<Verdict> {
    try {
      return this.#remember(subject, terms, true, await this.#run(subject, terms, true));
    } catch (error) {
      if (error instanceof TooLate) this.#doubt();
      else this.#degrade(error);
      return this.parts.fallback.judge(subject, terms);
    }
  }

  /** One late answer may be our own fault: only when the next one is late too, Redis is to blame. */
  #doubt(): void {
    if (this.#isDoubted) return;
    this.#isDoubted = true;
    this.#run(PROBE_SUBJECT, PROBE_TERMS, false)
      .catch((error: unknown) => this.#degrade(error))
      .finally(() => {
        this.#isDoubted = false;
      });
  }

  /** Runs the script. It takes along the strikes that Redis has not heard of, and each of them once. */
  #run(subject: string, terms: Terms, isRequest: boolean): Promise<number[]> {
    const { client, scriptClock } = this.parts;
    const refusal = this.#refusals.get(subject);
    const unreported = refusal?.unreported ?? 0;
    if (refusal) refusal.unreported = 0;
    const answer = client.judge(
      keyOf(subject),
      terms.perMinute,
      terms.perDay ?? 0,
      terms.strikesToBan ?? 0,
      terms.pardonedAtMs,
      unreported,
      refusal?.tally.conduct.strikesSinceMs ?? 0,
      isRequest ? 1 : 0,
      scriptClock ? scriptClock.nowMs() : "",
    );
    return inTime(answer);
  }

  /** Reads the script's answer, and keeps in mind who is refused until when. */
  #remember(subject: string, terms: Terms, isRequest: boolean, answer: readonly number[]): Verdict {
    const [kindNumber, nowMs, strikesLeft, isNew, ...numbers] = answer as [number, number, number, number, ...number[]];
    const kind = KINDS[kindNumber] as Verdict["kind"];
    const tally = tallyOf(numbers);
    const standing = standingOf(tally, terms, nowMs);
    // What was refused from memory while the answer was on its way is still to be told.
    const unreported = this.#refusals.get(subject)?.unreported ?? 0;
    this.#refusals.delete(subject);
    if (kind === "pass") return { kind, standing };
    if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.clear();
    this.#refusals.set(subject, {
      tally,
      aheadMs: nowMs - this.parts.clock.nowMs(),
      sinceMs: nowMs - CLOCK_LEEWAY_MS,
      untilMs: nextChangeMs(tally, standing.shown.resetAtMs),
      unreported,
      strikesLeft: strikesLeft < 0 ? Number.POSITIVE_INFINITY : strikesLeft - unreported,
      isUntoldBan: isNew === 1 && !isRequest,
    });
    if (kind === "banned") return { kind, standing, isNew: isNew === 1 };
    return { kind, standing, strikesLeft: strikesLeft < 0 ? undefined : strikesLeft };
  }

  /** The verdict on a subject that is known to be refused still; undefined: Redis has to be asked. */
  #refuseByMemory(subject: string, terms: Terms): Verdict | undefined {
    const refusal = this.#refusals.get(subject);
    if (!refusal) return undefined;
    const nowMs = this.parts.clock.nowMs() + refusal.aheadMs;
    const { conduct } = refusal.tally;
    const isPardoned = conduct.bansInARow > 0 && conduct.bannedAtMs <= terms.pardonedAtMs;
    const isOver = nowMs >= refusal.untilMs || nowMs < refusal.sinceMs;
    if (isOver || isPardoned) return undefined;
    const standing = standingOf(refusal.tally, terms, nowMs);
    if (conduct.bansInARow > 0 && nowMs < conduct.bannedUntilMs) {
      const isNew = refusal.isUntoldBan;
      refusal.isUntoldBan = false;
      return { kind: "banned", standing, isNew };
    }
    if (terms.strikesToBan === undefined) return { kind: "exhausted", standing, strikesLeft: undefined };
    if (refusal.strikesLeft <= 1) return undefined; // This one may bring the ban, which Redis has to decide.
    refusal.strikesLeft--;
    refusal.unreported++;
    this.#reportSoon(subject, terms);
    return { kind: "exhausted", standing, strikesLeft: refusal.strikesLeft };
  }

  /** Strikes at this instance count for all of them, a moment later. */
  #reportSoon(subject: string, terms: Terms): void {
    this.#unreported.set(subject, terms);
    this.#report ??= setTimeout(() => void this.#reportStrikes(), REPORT_STRIKES_EVERY_MS);
  }

  async #reportStrikes(): Promise<void> {
    const subjects = [...this.#unreported];
    this.#unreported.clear();
    this.#report = undefined;
    for (const [subject, terms] of subjects) {
      if (!this.#refusals.get(subject)?.unreported) continue;
      try {
        this.#remember(subject, terms, false, await this.#run(subject, terms, false));
      } catch (error) {
        return this.#degrade(error);
      }
    }
  }

  #degrade(error: unknown): void {
    if (this.#isDegraded) return;
    this.#isDegraded = true;
    // What fails again soon after it came back is given more and more time.
    const isShort = performance.now() - this.#recoveredAtMs < SHORT_RECOVERY_MS;
    this.#probeAfterMs = isShort ? Math.min(2 * this.#probeAfterMs, PROBE_AFTER_MAX_MS) : PROBE_AFTER_MS;
    this.#refusals.clear();
    this.parts.onChange(true, error);
    this.#probeLater();
  }

  /** Runs the script itself: a Redis that answers to PING may still be unable to count. */
  #probeLater(): void {
    this.#probe = setTimeout(async () => {
      try {
        await this.#run(PROBE_SUBJECT, PROBE_TERMS, false);
      } catch {
        return this.#probeLater();
      }
      this.#isDegraded = false;
      this.#recoveredAtMs = performance.now();
      this.parts.onChange(false);
    }, this.#probeAfterMs);
  }
}

/** Redis did not answer in time. */
class TooLate extends Error {
  constructor() {
    super(`no answer within ${ANSWER_WITHIN_MS} ms`);
  }
}

/** When this process was busy, the answer may lie unread behind the timer: it is looked for once more. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => setImmediate(() => setImmediate(() => reject(new TooLate()))), ANSWER_WITHIN_MS);
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** The next moment at which a window or the ban ends. Strikes have a minute of their own where none is open. */
function nextChangeMs({ minute, day, conduct }: Tally, resetAtMs: number): number {
  const minuteOpenedAtMs = minute.used > 0 ? minute.openedAtMs : conduct.strikesSinceMs;
  const isCounting = minute.used > 0 || conduct.strikes > 0;
  const minuteEndsMs = isCounting ? minuteOpenedAtMs + MINUTE.lengthMs : resetAtMs;
  const dayEndsMs = day.used > 0 ? day.openedAtMs + DAY.lengthMs : resetAtMs;
  return Math.min(resetAtMs, minuteEndsMs, dayEndsMs);
}

/** What is counted for a subject, for people to look at. */
export async function readTally(client: RedisClient, subject: string): Promise<Tally> {
  const values = await client.hmget(keyOf(subject), ...FIELDS);
  return tallyOf(values.map(Number));
}

/** In braces, so that a cluster keeps all of a subject in one place. */
const keyOf = (subject: string): string => `animal-store:{${subject}}`;

/** The script's fields, in its order. */
const FIELDS = [
  "minute_opened_at",
  "minute_used",
  "day_opened_at",
  "day_used",
  "strikes",
  "strikes_since",
  "banned_at",
  "banned_until",
  "bans_in_a_row",
];

/** The script's numbers, in the order of its fields. */
function tallyOf(numbers: readonly number[]): Tally {
  const [minuteOpenedAtMs = 0, minuteUsed = 0, dayOpenedAtMs = 0, dayUsed = 0, ...conduct] = numbers;
  const [strikes = 0, strikesSinceMs = 0, bannedAtMs = 0, bannedUntilMs = 0, bansInARow = 0] = conduct;
  return {
    minute: { openedAtMs: minuteOpenedAtMs, used: minuteUsed },
    day: { openedAtMs: dayOpenedAtMs, used: dayUsed },
    conduct: { strikes, strikesSinceMs, bannedAtMs, bannedUntilMs, bansInARow },
  };
}
