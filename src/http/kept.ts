import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { Fault } from "../domain/fault.ts";
import { encoded, type Reply } from "./reply.ts";

/** Of URLs and bodies together: about as many bytes. */
const MAX_CHARACTERS = 8_000_000;
const MAX_REPLIES = 10_000;

/**
 * Replies to reads, by URL, for as long as the store's version stays the same: so none is ever older
 * than the last write, whoever made it. Where a store has no version, nothing is kept.
 */
export class KeptReplies {
  readonly #replies = new Map<string, Reply>();
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
    const kept = this.#replies.get(url);
    if (kept) return typeof kept.body === "string" ? this.#encode(url, kept) : kept;
    return andThen(work(), (reply) => {
      if (!(reply instanceof Fault) && version === this.#version) this.#keep(url, reply);
      return reply;
    });
  }

  /** What is asked for again will be asked for more often. */
  #encode(url: string, reply: Reply): Reply {
    const encodedReply = encoded(reply);
    this.#replies.set(url, encodedReply);
    this.#characters += charactersOf(url, encodedReply) - charactersOf(url, reply);
    return encodedReply;
  }

  #startAnew(version: number): void {
    this.#replies.clear();
    this.#characters = 0;
    this.#version = version;
  }

  #keep(url: string, reply: Reply): void {
    this.#replies.set(url, reply);
    this.#characters += charactersOf(url, reply);
    for (const [oldUrl, oldReply] of this.#replies) {
      if (this.#characters <= MAX_CHARACTERS && this.#replies.size <= MAX_REPLIES) return;
      this.#replies.delete(oldUrl);
      this.#characters -= charactersOf(oldUrl, oldReply);
    }
  }
}

const charactersOf = (url: string, { body }: Reply): number =>
  url.length + (typeof body === "string" ? body.length : body.size);
