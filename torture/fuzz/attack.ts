import { ANSWER_DEADLINE_MS, type Played, play } from "./play.ts";
import { isBare } from "./rules.ts";
import { scriptOf } from "./script.ts";

export interface FuzzOptions {
  readonly origin: string;
  readonly seed: number;
  /** Until when connections are started. */
  readonly isOver: (scripts: number) => boolean;
  /** Told of every connection that came to its end. */
  readonly onPlayed: (played: Played) => void;
  /** Bodies that never end take as long as the service's patience. */
  readonly withStalled: boolean;
}

/** Enough to keep the service busy while some connections wait for nothing. */
const CONNECTIONS = 48;

/** Plays one script after the other on several connections at once. */
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

/** What all connections came to. */
export class FuzzTotals {
  connections = 0;
  requests = 0;
  answers = 0;
  animals = 0;
  orders = 0;
  unansweredWrites = 0;
  slowestMs = 0;
  readonly statuses = new Map<string, number>();
  readonly mistakes: string[] = [];

  readonly add = ({ script, answers, tookMs, mistakes, unansweredWrites }: Played): void => {
    this.connections++;
    this.requests += script.due.length || 1;
    this.answers += answers.length;
    this.unansweredWrites += unansweredWrites;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    for (const answer of answers) {
      const name = isBare(answer) ? `${answer.status} (Bun)` : String(answer.status);
      this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
      const isNew = answer.status === 201 && !answer.headers.has("idempotency-replayed");
      const location = isNew ? answer.headers.get("location") : undefined;
      if (location?.includes("/pets/")) this.animals++;
      else if (location) this.orders++;
    }
    if (answers.length === 0) this.statuses.set("none", (this.statuses.get("none") ?? 0) + 1);
    for (const mistake of mistakes) this.mistakes.push(`connection ${script.number} (${script.kind}): ${mistake}`);
    if (tookMs > ANSWER_DEADLINE_MS + 5_000)
      this.mistakes.push(`connection ${script.number} took ${Math.round(tookMs)} ms`);
  };

  distribution(): string {
    return [...this.statuses]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ");
  }
}
