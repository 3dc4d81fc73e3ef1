import { type Awaitable, andThen } from "../../base/time/awaitable.ts";
import type { Version } from "../../store/ports/store.ts";
import { Fault, type Outcome } from "../faults/fault.ts";
import { encoded, type Reply } from "../reply/reply.ts";
import { SharedReplies } from "./shared-replies.ts";

/** Bounds URLs and bodies together, over all threads: about as many bytes. */
const MAX_CHARACTERS = 8_000_000;
const MAX_REPLIES = 10_000;

interface CachedReply {
  readonly reply: Reply;
  readonly version: Version;
}

/** Half of a cache. Dropping the whole older half costs nothing, unlike evicting one reply after the other. */
class Generation extends Map<string, CachedReply> {
  characters = 0;

  override set(url: string, cached: CachedReply): this {
    const former = this.get(url);
    if (former) this.characters -= charactersOf(url, former.reply);
    this.characters += charactersOf(url, cached.reply);
    return super.set(url, cached);
  }
}

/**
 * Caches replies to reads by URL until a write may have changed them: any change drops all of them, an addition only
 * those that a new animal could be in. For a store without a version, requests that arrive together share a reply.
 */
export class ReplyCache {
  #newer = new Generation();
  #older = new Generation();
  #version: Version | undefined;
  readonly #seen = new SeenUrls();
  readonly #shared = new SharedReplies();

  /**
   * Divides the memory among the threads, each of which has a cache. `readsAtOnce`: the store answers synchronously, so
   * reads are not shared; Bun closes a connection on which a request follows one that is answered later.
   */
  constructor(
    private readonly storeVersion: () => Version | undefined,
    private readonly options: { readonly threads: number; readonly readsAtOnce?: boolean } = { threads: 1 },
  ) {}

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /** Returns the cached reply for a URL, or else the outcome of the work. */
  answer(url: string, work: () => Awaitable<Outcome>): Awaitable<Outcome> {
    // Read before the work: a reply may be newer than the version it is cached for, never older.
    const version = this.storeVersion();
    if (version === undefined) return this.options.readsAtOnce ? work() : this.#shared.answer(url, work);
    if (version !== this.#version) this.#follow(version);
    const cached = this.#newer.get(url) ?? this.#promote(url);
    // A cached reply has seen all changes, or it would have been dropped; only additions may be missing.
    if (cached && (cached.version === version || cached.reply.survivesAdditions)) return cached.reply;
    if (!cached && !this.#seen.again(url)) return work();
    return andThen(work(), (outcome) => {
      if (outcome instanceof Fault || version !== this.#version) return outcome;
      return this.#add(url, { reply: encoded(outcome), version }).reply;
    });
  }

  /** Moves a reply that is still asked for from the older half to the newer one. */
  #promote(url: string): CachedReply | undefined {
    const cached = this.#older.size === 0 ? undefined : this.#older.get(url);
    return cached && this.#add(url, cached);
  }

  #add(url: string, cached: CachedReply): CachedReply {
    if (this.#isHalfFull) {
      this.#older = this.#newer;
      this.#newer = new Generation();
    }
    this.#newer.set(url, cached);
    return cached;
  }

  get #isHalfFull(): boolean {
    const { size, characters } = this.#newer;
    const shares = 2 * this.options.threads;
    return size >= MAX_REPLIES / shares || characters >= MAX_CHARACTERS / shares;
  }

  /** Replies that an addition may have changed stay, unused, until they are asked for again. */
  #follow(version: Version): void {
    if (version.changes !== this.#version?.changes) {
      this.#newer = new Generation();
      this.#older = new Generation();
    }
    this.#version = version;
  }
}

const SEEN_URLS_BITS = 12;
const HASHED_CHARACTERS = 8;
/** 2^32 divided by the golden ratio: multiplied by it, similar numbers end up far apart. */
const SPREAD = 0x9e3779b1;

/** A filter of URLs, so that only what is requested again is cached: the rest would only evict it. */
class SeenUrls {
  readonly #hashes = new Uint32Array(2 ** SEEN_URLS_BITS);

  /** Returns whether a URL was probably seen before, and no other one has taken its slot since. */
  again(url: string): boolean {
    const hash = hashOf(url);
    const slot = hash >>> (32 - SEEN_URLS_BITS);
    if (this.#hashes[slot] === hash) return true;
    this.#hashes[slot] = hash;
    return false;
  }
}

/** Hashes the last characters, in which URLs of this API differ. Others collide, and are merely cached sooner. */
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
