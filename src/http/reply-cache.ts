import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { Fault, type Outcome } from "./faults.ts";
import { encoded, type Reply } from "./reply.ts";

/** Of URLs and bodies together: about as many bytes. */
const MAX_CHARACTERS = 8_000_000;
const MAX_REPLIES = 10_000;

/**
 * Replies to reads, by URL, for as long as the store's version stays the same: none is ever older than
 * the last write, whoever made it. For a store without a version, nothing is cached.
 */
export class ReplyCache {
  readonly #replies = new Map<string, Reply>();
  #characters = 0;
  #version: number | undefined;

  constructor(private readonly storeVersion: () => number | undefined) {}

  get size(): number {
    return this.#replies.size;
  }

  /** The cached reply for a URL, or else the outcome of the work. */
  answer(url: string, work: () => Awaitable<Outcome>): Awaitable<Outcome> {
    // Read before the work: a reply may be newer than the version it is cached for, never older.
    const version = this.storeVersion();
    if (version === undefined) return work();
    if (version !== this.#version) this.#empty(version);
    const cached = this.#replies.get(url);
    if (cached) return typeof cached.body === "string" ? this.#encode(url, cached) : cached;
    return andThen(work(), (outcome) => {
      if (!(outcome instanceof Fault) && version === this.#version) this.#add(url, outcome);
      return outcome;
    });
  }

  /** What is asked for a second time is likely to be asked for often. */
  #encode(url: string, reply: Reply): Reply {
    const encodedReply = encoded(reply);
    this.#replies.set(url, encodedReply);
    this.#characters += charactersOf(url, encodedReply) - charactersOf(url, reply);
    return encodedReply;
  }

  #empty(version: number): void {
    this.#replies.clear();
    this.#characters = 0;
    this.#version = version;
  }

  #add(url: string, reply: Reply): void {
    this.#replies.set(url, reply);
    this.#characters += charactersOf(url, reply);
    for (const [oldUrl, oldReply] of this.#replies) {
      if (this.#characters <= MAX_CHARACTERS && this.#replies.size <= MAX_REPLIES) return;
      this.#replies.delete(oldUrl);
      this.#characters -= charactersOf(oldUrl, oldReply);
    }
  }
}

function charactersOf(url: string, { body }: Reply): number {
  if (body === null) return url.length;
  return url.length + (typeof body === "string" ? body.length : body.size);
}
