import type { WireAnswer } from "../wire/answers.ts";
import { ANSWER_DEADLINE_MS, type Played, play } from "./play.ts";
import { isBare } from "./rules.ts";
import { scriptOf } from "./script.ts";

export interface FuzzOptions {
  readonly origin: string;
  readonly seed: number;
  /** No connection is started once this returns true. */
  readonly isOver: (scripts: number) => boolean;
  /** Called for every connection that has ended. */
  readonly onPlayed: (played: Played) => void;
  /** Includes bodies that never end, which take as long as the service's timeout. */
  readonly withStalled: boolean;
}

/** Enough to keep the service busy while some connections wait for responses that never come. */
const CONNECTIONS = 48;

/** Plays scripts one after another, on several connections at once. */
export async function attack({ origin, seed, isOver, onPlayed, withStalled }: FuzzOptions): Promise<void> {
  let next = 0;
  const waiting = new Set<Promise<void>>();
  const playNext = async (): Promise<void> => {
    while (!isOver(next)) {
      const script = scriptOf(seed, next++);
      if (script.kind !== "stalled") onPlayed(await play(origin, script));
      else if (withStalled) {
        const stalled = play(origin, script).then(onPlayed);
        waiting.add(stalled);
        void stalled.finally(() => waiting.delete(stalled));
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, playNext));
  await Promise.all(waiting);
}

/** The totals of all connections. */
export class FuzzTotals {
  connections = 0;
  requests = 0;
  answers = 0;
  animals = 0;
  orders = 0;
  /** Categories named for the first time, and categories deleted. */
  categories = 0;
  categoryDeletions = 0;
  unansweredNamings = 0;
  /** Deletions of animals that were answered, and those that may have happened without a response. */
  deletions = 0;
  uncertainDeletions = 0;
  unansweredCreations = 0;
  slowestMs = 0;
  readonly statuses = new Map<string, number>();
  readonly mistakes: string[] = [];

  readonly add = ({ script, answers, tookMs, mistakes, unanswered }: Played): void => {
    this.connections++;
    this.requests += script.due.length || 1;
    this.answers += answers.length;
    this.unansweredCreations += unanswered.creations;
    this.uncertainDeletions += unanswered.deletions;
    this.unansweredNamings += unanswered.namings;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    for (const [i, answer] of answers.entries()) {
      const name = isBare(answer) ? `${answer.status} (Bun)` : String(answer.status);
      this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
      if (!answer.headers.has("idempotency-replayed")) this.#addChange(answer, script.due[i]?.path);
    }
    if (answers.length === 0) this.statuses.set("none", (this.statuses.get("none") ?? 0) + 1);
    for (const mistake of mistakes) this.mistakes.push(`connection ${script.number} (${script.kind}): ${mistake}`);
    if (tookMs > ANSWER_DEADLINE_MS + 5_000)
      this.mistakes.push(`connection ${script.number} took ${Math.round(tookMs)} ms`);
  };

  /** Counts the change that a response confirms. Without the request, it is unknown what was deleted. */
  #addChange({ status, headers }: WireAnswer, path: string | undefined): void {
    const location = headers.get("location");
    if (status === 201) {
      if (location === null) this.categories++;
      else if (location.includes("/pets/")) this.animals++;
      else this.orders++;
    }
    if (status !== 204) return;
    if (path === undefined) this.uncertainDeletions++;
    else if (path.startsWith("/v1/pets/")) this.deletions++;
    else this.categoryDeletions++;
  }

  distribution(): string {
    return [...this.statuses]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ");
  }
}
