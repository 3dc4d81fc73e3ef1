import type { Awaitable } from "../../../base/time/awaitable.ts";
import { type Clock, SECOND_MS, systemClock } from "../../../base/time/clock.ts";
import { sharedRuns } from "../../../base/time/shared-runs.ts";
import { digestOf } from "../../../domain/keys/key.ts";
import type { SessionStore } from "../../../store/ports/store.ts";

/** Pages ask every few seconds. A session that has ended is refused by the console itself in the meantime. */
const KNOWN_FOR_MS = 5 * SECOND_MS;
/** However many made-up cookies arrive, the store is asked this often at most. */
const PAUSE_MS = SECOND_MS / 10;

interface Pacing {
  monotonicMs(): number;
  sleep(ms: number): Promise<void>;
}

/** The sessions of the console, as one serving thread knows them: there are as many as people at work, so it has all. */
export class KnownSessions {
  #digests: ReadonlySet<string> = new Set();
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Resolves after a read that begins later than the call, since a session may be that new. */
  readonly #readAgain: () => Promise<void>;

  constructor(
    private readonly sessions: Pick<SessionStore, "digests">,
    private readonly clock: Clock,
    private readonly time: Pacing = { monotonicMs: systemClock.monotonicMs, sleep: Bun.sleep },
  ) {
    this.#readAgain = sharedRuns(() => this.#read(), PAUSE_MS, time.sleep);
  }

  /** Returns whether one of these secrets is that of a session. */
  hasAny(secrets: readonly string[]): Awaitable<boolean> {
    const digests = secrets.map(digestOf);
    const isKnown = () => digests.some((digest) => this.#digests.has(digest));
    const isFresh = this.time.monotonicMs() - this.#readAtMs < KNOWN_FOR_MS;
    return (isFresh && isKnown()) || this.#readAgain().then(isKnown);
  }

  async #read(): Promise<void> {
    this.#readAtMs = this.time.monotonicMs();
    try {
      this.#digests = new Set(await this.sessions.digests({ nowMs: this.clock.nowMs() }));
    } catch {
      // Known sessions stay known: the console reports what is wrong with the store.
    }
  }
}
