import { BoundedMap } from "../../base/bounded-map.ts";
import type { Clock } from "../../base/time/clock.ts";
import { copyOfTally, judge, type RatePolicy, type Tally, type Verdict } from "../../domain/limits/tally.ts";
import type { JudgeAnswer, Strikes } from "./commands/script.ts";
import type { Scheduler } from "./timeouts/scheduler.ts";

const REPORT_DELAY_MS = 100;
/** Cached refusals are outdated when this machine's clock is set back by more than this. */
const CLOCK_STEP_MAX_MS = 1_000;

/** A subject that Redis refused. */
interface CachedRefusal {
  /** The tally in Redis, with the strikes that were recorded here since. */
  readonly tally: Tally;
  /** The time of the answer, by this machine's clock. */
  readonly answeredAtMs: number;
  /** The difference between the clock that Redis judges by and this machine's: a little less, as the answer took time. */
  readonly aheadMs: number;
  /** The time from which on Redis may let the subject pass, by this machine's clock: however late its answer came. */
  readonly endsAtMs: number;
  /** True: reported strikes caused the ban, so no verdict has said yet that it is new. */
  isUnannouncedBan: boolean;
}

/** Strikes to report, and the policy to report them with. */
interface UnreportedStrikes extends Strikes {
  count: number;
  policy: RatePolicy;
}

export interface RefusalsParts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly maxSubjects: number;
  /** Calls Redis for a subject with the strikes that takeStrikes() returns. Never rejects. */
  readonly report: (subject: string, policy: RatePolicy) => Promise<void>;
}

/** Caches who is refused, so that Redis need not be asked again, and reports their strikes to it a moment later. */
export class Refusals {
  readonly #cached: BoundedMap<CachedRefusal>;
  readonly #unreported = new Map<string, UnreportedStrikes>();
  #cancelReport: (() => void) | undefined;
  #reporting = Promise.resolve();

  constructor(private readonly parts: RefusalsParts) {
    this.#cached = new BoundedMap(parts.maxSubjects);
  }

  get size(): number {
    return this.#cached.size;
  }

  /** Returns the verdict on a subject that is certainly still refused; undefined: Redis has to be asked. */
  judge(subject: string, policy: RatePolicy): Verdict | undefined {
    const refusal = this.#cached.get(subject);
    if (!refusal) return undefined;
    const nowMs = this.parts.clock.nowMs();
    if (!isCurrent(refusal, nowMs)) return undefined;
    const { banRecord } = refusal.tally;
    const { strikesSinceMs, bansInARow } = banRecord;
    const verdict = judge(refusal.tally, policy, nowMs + refusal.aheadMs);
    // Redis alone decides who passes, who is banned or unbanned, and when a new minute of strikes begins.
    const isSame = banRecord.strikesSinceMs === strikesSinceMs && banRecord.bansInARow === bansInARow;
    if (verdict.kind === "pass" || (verdict.kind === "banned" && verdict.isNew) || !isSame) {
      this.#cached.delete(subject);
      return undefined;
    }
    if (verdict.kind === "banned") return announce(verdict, refusal);
    if (policy.strikesToBan !== undefined) this.#recordStrike(subject, policy, strikesSinceMs);
    return verdict;
  }

  /** Returns whether a subject is known to be refused now, and counts nothing. */
  isRefused(subject: string, policy: RatePolicy): boolean {
    const refusal = this.#cached.get(subject);
    if (!refusal) return false;
    const nowMs = this.parts.clock.nowMs();
    if (!isCurrent(refusal, nowMs)) return false;
    return judge(copyOfTally(refusal.tally), policy, nowMs + refusal.aheadMs).kind !== "pass";
  }

  /** Removes and returns a subject's unreported strikes, so that none is reported twice. */
  takeStrikes(subject: string): Strikes | undefined {
    const strikes = this.#unreported.get(subject);
    if (strikes) this.#unreported.delete(subject);
    return strikes;
  }

  /** Records Redis's answer to a request or to a report of strikes. */
  record(subject: string, { askedAtMs, verdict, tally }: JudgeAnswer, isRequest: boolean): void {
    const previous = this.#cached.get(subject);
    this.#cached.delete(subject);
    this.#addStrikesSinceCall(subject, verdict, tally);
    if (verdict.kind === "pass") return;
    const answeredAtMs = this.parts.clock.nowMs();
    const { atMs, shown } = verdict.quotaStatus;
    this.#cached.set(subject, {
      tally,
      answeredAtMs,
      aheadMs: atMs - answeredAtMs,
      endsAtMs: shown.resetAtMs - (atMs - askedAtMs),
      isUnannouncedBan: isUnannounced(verdict, isRequest, previous),
    });
  }

  /** Reports all strikes now. Resolves when Redis has answered these and all earlier reports. */
  reportStrikes(): Promise<void> {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    this.#reporting = this.#reporting.then(() => this.#reportEach());
    return this.#reporting;
  }

  /** Forgets who is refused: Redis may know better by now. Strikes are still reported. */
  forget(): void {
    this.#cached.clear();
  }

  async #reportEach(): Promise<void> {
    for (const subject of [...this.#unreported.keys()]) {
      const strikes = this.#unreported.get(subject);
      if (strikes) await this.parts.report(subject, strikes.policy);
    }
  }

  /** Strikes recorded during the call are still to be reported, unless a ban or a new minute made them obsolete. */
  #addStrikesSinceCall(subject: string, { kind }: Verdict, { banRecord }: Tally): void {
    const strikes = this.#unreported.get(subject);
    if (!strikes) return;
    if (kind === "exhausted" && strikes.sinceMs === banRecord.strikesSinceMs) banRecord.strikes += strikes.count;
    else this.#unreported.delete(subject);
  }

  #recordStrike(subject: string, policy: RatePolicy, sinceMs: number): void {
    const strikes = this.#unreported.get(subject);
    if (strikes) {
      strikes.count++;
      strikes.policy = policy;
    } else this.#unreported.set(subject, { policy, sinceMs, count: 1 });
    this.#cancelReport ??= this.parts.scheduler.schedule(REPORT_DELAY_MS, () => void this.reportStrikes());
  }
}

/** False once the refusal may be over, and after this machine's clock was set back. */
const isCurrent = ({ answeredAtMs, endsAtMs }: CachedRefusal, nowMs: number): boolean =>
  nowMs >= answeredAtMs - CLOCK_STEP_MAX_MS && nowMs < endsAtMs;

/** A report tells nobody about the ban that it caused; nor does a request that Redis judged right after it. */
function isUnannounced(verdict: Verdict, isRequest: boolean, previous: CachedRefusal | undefined): boolean {
  if (verdict.kind !== "banned") return false;
  return verdict.isNew ? !isRequest : (previous?.isUnannouncedBan ?? false);
}

/** Says once that a ban is new. */
function announce(verdict: Verdict & { kind: "banned" }, refusal: CachedRefusal): Verdict {
  if (!refusal.isUnannouncedBan) return verdict;
  refusal.isUnannouncedBan = false;
  return { ...verdict, isNew: true };
}
