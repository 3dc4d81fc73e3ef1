import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { Fault, type Outcome } from "./fault.ts";
import { encoded, type Reply } from "./reply.ts";
import { SharedReplies } from "./shared-replies.ts";

/** Of URLs and bodies together: about as many bytes. */
const MAX_CHARACTERS = 8_000_000;
const MAX_REPLIES = 10_000;

/** Half of the cache. Dropping all of the older half costs nothing, unlike removing one reply after the other. */
class Generation {
  readonly replies = new Map<string, Reply>();
  #characters = 0;

  get isFull(): boolean {
    return this.replies.size >= MAX_REPLIES / 2 || this.#characters >= MAX_CHARACTERS / 2;
  }

  set(url: string, reply: Reply): void {
    this.replies.set(url, reply);
    this.#characters += charactersOf(url, reply);
  }
}

/**
 * Replies to reads, by URL, for as long as the store's version stays the same: none is ever older than
 * the last write, whoever made it. For a store without a version, nothing is cached: replies are only shared by
 * requests that arrive together.
 */
export class ReplyCache {
  #newer = new Generation();
  #older = new Generation();
  #version: number | undefined;
  readonly #seen = new SeenUrls();
  readonly #shared = new SharedReplies();

  constructor(private readonly storeVersion: () => number | undefined) {}

  get size(): number {
    return this.#newer.replies.size + this.#older.replies.size;
  }

  /** The cached reply for a URL, or else the outcome of the work. */
  answer(url: string, work: () => Awaitable<Outcome>): Awaitable<Outcome> {
    // Read before the work: a reply may be newer than the version it is cached for, never older.
    const version = this.storeVersion();
    if (version === undefined) return this.#shared.answer(url, work);
    if (version !== this.#version) this.#empty(version);
    const cached = this.#newer.replies.get(url) ?? this.#promote(url);
    if (cached) return cached;
    if (!this.#seen.again(url)) return work();
    return andThen(work(), (outcome) => {
      if (outcome instanceof Fault || version !== this.#version) return outcome;
      return this.#add(url, encoded(outcome));
    });
  }

  /** What the older half has and is still asked for moves to the newer one. */
  #promote(url: string): Reply | undefined {
    const { replies } = this.#older;
    const reply = replies.size === 0 ? undefined : replies.get(url);
    return reply && this.#add(url, reply);
  }

  #add(url: string, reply: Reply): Reply {
    if (this.#newer.isFull) {
      this.#older = this.#newer;
      this.#newer = new Generation();
    }
    this.#newer.set(url, reply);
    return reply;
  }

  #empty(version: number): void {
    this.#newer = new Generation();
    this.#older = new Generation();
    this.#version = version;
  }
}

const SEEN_URLS_BITS = 12;
const HASHED_CHARACTERS = 8;
/** 2^32 divided by the golden ratio: multiplied by it, similar numbers end up far apart. */
const SPREAD = 0x9e3779b1;

/** Remembers some URLs, so that only what is asked for again is cached: the rest would only displace it. */
class SeenUrls {
  readonly #hashes = new Uint32Array(2 ** SEEN_URLS_BITS);

  /** Whether a URL was probably seen before; not if another one has taken its place since. */
  again(url: string): boolean {
    const hash = hashOf(url);
    const slot = hash >>> (32 - SEEN_URLS_BITS);
    if (this.#hashes[slot] === hash) return true;
    this.#hashes[slot] = hash;
    return false;
  }
}

/** Of the last characters, in which URLs of this interface differ. Those that do not are only cached sooner. */
function hashOf(url: string): number {
  let hash = url.length;
  for (let i = Math.max(0, url.length - HASHED_CHARACTERS); i < url.length; i++)
    hash = (Math.imul(hash, 31) + url.charCodeAt(i)) >>> 0;
  return Math.imul(hash, SPREAD) >>> 0;
}

function charactersOf(url: string, { body }: Reply): number {
  if (body === null) return url.length;
  return url.length + (typeof body === "string" ? body.length : body.size);
}
