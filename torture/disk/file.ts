import type { Random } from "../common/random.ts";

const PAGE = 4096;
const SECTOR = 512;

/** The ways in which a power cut treats the unsynced changes of a file. */
export type Manner = "nothing" | "everything" | "pages" | "sectors";

/** One version of a page's content, or of the file's size. */
interface Version<T> {
  readonly value: T;
  /** The number of truncations before it. */
  readonly epoch: number;
  /** True if a truncation made it: once that is on disk, no earlier version is. */
  readonly isCut: boolean;
}

/** The versions of a page since it was last durable, oldest first. */
interface Page {
  versions: Version<Uint8Array>[];
}

/**
 * The content of a file, and how much of it is durable. Pages reach the disk in any order and as any of their versions,
 * which may be mixed by sectors (torn writes). A truncation is different: file systems apply it as a whole, and before
 * any later write.
 */
export class JournaledFile {
  readonly #pages = new Map<number, Page>();
  /** Pages that the next successful sync writes. A failed sync clears this: Linux marks its pages as clean. */
  readonly #dirty = new Set<Page>();
  #sizes: Version<number>[] = [{ value: 0, epoch: 0, isCut: false }];
  #epoch = 0;

  constructor(
    readonly inode: bigint,
    content?: Uint8Array,
  ) {
    if (!content) return;
    this.write(0, content);
    this.sync();
  }

  get size(): number {
    return latestOf(this.#sizes);
  }

  write(offset: number, data: Uint8Array): void {
    for (let done = 0; done < data.length; ) {
      const at = offset + done;
      const start = at % PAGE;
      const length = Math.min(PAGE - start, data.length - done);
      this.#nextVersion(Math.floor(at / PAGE), false).set(data.subarray(done, done + length), start);
      done += length;
    }
    this.extend(offset + data.length);
  }

  extend(size: number): void {
    if (size > this.size) this.#sizes.push({ value: size, epoch: this.#epoch, isCut: false });
  }

  truncate(size: number): void {
    if (size >= this.size) {
      this.extend(size);
      return;
    }
    this.#epoch++;
    for (const index of this.#pages.keys())
      if ((index + 1) * PAGE > size) this.#nextVersion(index, true).fill(0, Math.max(0, size - index * PAGE));
    this.#sizes.push({ value: size, epoch: this.#epoch, isCut: true });
  }

  /** Adds a copy of the page as its next version, to be changed. */
  #nextVersion(index: number, isCut: boolean): Uint8Array {
    const blank = { value: new Uint8Array(PAGE), epoch: 0, isCut: false };
    const page = this.#pages.get(index) ?? { versions: [blank] };
    this.#pages.set(index, page);
    const value = latestOf(page.versions).slice();
    page.versions.push({ value, epoch: this.#epoch, isCut });
    this.#dirty.add(page);
    return value;
  }

  sync(): void {
    for (const page of this.#dirty) page.versions = page.versions.slice(-1);
    this.#sizes = this.#sizes.slice(-1);
    this.#dirty.clear();
  }

  /** After a failed sync, its pages may or may not be on disk, and only another write makes a later sync write them. */
  failSync(): void {
    this.#dirty.clear();
  }

  /** The content that the program sees. */
  latest(): Uint8Array {
    return this.#content(this.size, latestOf);
  }

  /** One of the contents that may be on disk after a power cut. */
  after(manner: Manner, random: Random): Uint8Array {
    if (manner === "everything") return this.latest();
    if (manner === "nothing") return this.#content(oldestOf(this.#sizes), oldestOf);
    const epoch = random.int(oldestEpochOf(this.#sizes), this.#epoch);
    return this.#content(random.pick(possibleIn(epoch, this.#sizes)), (versions) => {
      const possible = possibleIn(epoch, versions);
      return manner === "pages" || possible.length === 1 ? random.pick(possible) : mixSectors(possible, random);
    });
  }

  #content(size: number, pick: (versions: readonly Version<Uint8Array>[]) => Uint8Array): Uint8Array {
    const content = new Uint8Array(Math.ceil(size / PAGE) * PAGE);
    for (const [index, { versions }] of this.#pages) if (index * PAGE < size) content.set(pick(versions), index * PAGE);
    return content.subarray(0, size);
  }
}

const latestOf = <T>(versions: readonly Version<T>[]): T => (versions.at(-1) as Version<T>).value;
const oldestOf = <T>(versions: readonly Version<T>[]): T => (versions[0] as Version<T>).value;
const oldestEpochOf = (versions: readonly Version<unknown>[]): number => versions[0]?.epoch ?? 0;

/** The versions that may be on disk after this many truncations. */
function possibleIn<T>(epoch: number, versions: readonly Version<T>[]): T[] {
  const until = versions.filter((version, i) => i === 0 || version.epoch <= epoch);
  const cut = until.findLastIndex(({ isCut }) => isCut);
  return until.slice(Math.max(0, cut)).map(({ value }) => value);
}

function mixSectors(versions: readonly Uint8Array[], random: Random): Uint8Array {
  const mixed = new Uint8Array(PAGE);
  for (let at = 0; at < PAGE; at += SECTOR) mixed.set(random.pick(versions).subarray(at, at + SECTOR), at);
  return mixed;
}
