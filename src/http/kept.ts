import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { Fault } from "../domain/fault.ts";
import type { Reply } from "./reply.ts";

/** About 16 MB of text, and what comes with it. */
const MAX_CHARACTERS = 8_000_000;
const MAX_REPLIES = 10_000;

interface KeptReply extends Reply {
  readonly body: Blob;
}

/**
 * Replies to reads, by URL, for as long as the store's version stays the same: so none is ever older
 * than the last write, whoever made it. Where a store has no version, nothing is kept.
 */
export class KeptReplies {
  readonly #replies = new Map<string, KeptReply>();
  #characters = 0;
  #version: number | undefined;

  constructor(private readonly storeVersion: () => number | undefined) {}

  get size(): number {
    return this.#replies.size;
  }

  /** The reply that is kept for a URL, or else the one that is worked out now. */
  answer(url: string, work: () => Awaitable<Reply | Fault>): Awaitable<Reply | Fault> {
    // Asked for before the work: a reply may be younger than the version that it is kept for, never older.
    const version = this.storeVersion();
    if (version === undefined) return work();
    if (version !== this.#version) this.#startAnew(version);
    return (
      this.#replies.get(url) ??
      andThen(work(), (reply) => {
        if (!(reply instanceof Fault) && version === this.#version) this.#keep(url, reply);
        return reply;
      })
    );
  }

  #startAnew(version: number): void {
    this.#replies.clear();
    this.#characters = 0;
    this.#version = version;
  }

  #keep(url: string, reply: Reply): void {
    const kept = { ...reply, body: new Blob([reply.body]) };
    this.#replies.set(url, kept);
    this.#characters += url.length + kept.body.size;
    for (const [oldUrl, oldReply] of this.#replies) {
      if (this.#characters <= MAX_CHARACTERS && this.#replies.size <= MAX_REPLIES) return;
      this.#replies.delete(oldUrl);
      this.#characters -= oldUrl.length + oldReply.body.size;
    }
  }
}
