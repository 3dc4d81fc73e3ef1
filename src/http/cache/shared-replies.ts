import { type Awaitable, andThen, orElse } from "../../base/time/awaitable.ts";
import { atEndOfTurn } from "../../base/time/turn.ts";
import { Fault, type Outcome } from "../faults/fault.ts";
import { encoded } from "../reply/reply.ts";

/** A reply that is not being made yet. */
interface Asked extends PromiseWithResolvers<Outcome> {
  readonly work: () => Awaitable<Outcome>;
  isShared: boolean;
}

/**
 * Coalesces requests for one URL that arrive in the same turn of the event loop. The work begins at the end of the
 * turn, so no reply is older than its request.
 */
export class SharedReplies {
  #asked = new Map<string, Asked>();

  answer(url: string, work: () => Awaitable<Outcome>): Promise<Outcome> {
    const same = this.#asked.get(url);
    if (same) {
      same.isShared = true;
      return same.promise;
    }
    if (this.#asked.size === 0) atEndOfTurn(this.#begin);
    const asked = { ...Promise.withResolvers<Outcome>(), work, isShared: false };
    this.#asked.set(url, asked);
    return asked.promise;
  }

  readonly #begin = (): void => {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const { work, resolve, isShared } of asked.values()) {
      const outcome = orElse(work, (error) => Promise.reject(error));
      resolve(isShared ? andThen(outcome, encodedOnce) : outcome);
    }
  };
}

const encodedOnce = (outcome: Outcome): Outcome => (outcome instanceof Fault ? outcome : encoded(outcome));
