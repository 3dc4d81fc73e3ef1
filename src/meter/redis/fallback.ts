import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import { copyOfTally, type RatePolicy, type Tally, type Verdict } from "../../domain/limits/tally.ts";
import { MemoryMeter } from "../memory.ts";
import type { Meter } from "../meter.ts";
import type { TallyTable } from "../tally-table.ts";
import type { JudgeAnswer } from "./commands/script.ts";

/** The size of a generation of answers, of which there are two. */
const MAX_ANSWERS = 25_000;

/** Counts for this instance alone while Redis does not answer: from Redis's last answers on, and by its clock. */
export class Fallback implements Meter {
  readonly #memory: MemoryMeter;
  /** The last answer for each subject. A full generation takes the place of the older one, which costs least. */
  #answers = new Map<string, Tally>();
  #olderAnswers = new Map<string, Tally>();
  /** The difference between the clock that Redis judges by and this machine's. */
  #aheadMs = 0;

  constructor(
    private readonly clock: Clock,
    table: TallyTable,
  ) {
    this.#memory = new MemoryMeter({ nowMs: () => clock.nowMs() + this.#aheadMs }, table);
  }

  /** Records an answer of Redis. */
  record(subject: string, { verdict, tally }: JudgeAnswer): void {
    this.#aheadMs = verdict.quotaStatus.atMs - this.clock.nowMs();
    if (this.#answers.size >= MAX_ANSWERS) {
      this.#olderAnswers = this.#answers;
      this.#answers = new Map();
    }
    // The tally of a refusal is counted on by those who cache it.
    this.#answers.set(subject, verdict.kind === "pass" ? tally : copyOfTally(tally));
  }

  judge(subject: string, policy: RatePolicy): Awaitable<Verdict> {
    this.#takeOver(subject);
    return this.#memory.judge(subject, policy);
  }

  isRefused(subject: string, policy: RatePolicy): boolean {
    this.#takeOver(subject);
    return this.#memory.isRefused(subject, policy);
  }

  tally(subject: string): Tally {
    this.#takeOver(subject);
    return this.#memory.tally(subject);
  }

  #takeOver(subject: string): void {
    const tally = this.#answers.get(subject) ?? this.#olderAnswers.get(subject);
    if (!tally) return;
    this.#answers.delete(subject);
    this.#olderAnswers.delete(subject);
    this.#memory.follow(subject, tally);
  }
}
