import { attempt } from "./attempt.ts";
import { type Connection, prepared } from "./statements.ts";
import { CHANGE, CHECKSUM_1, CHECKSUM_2 } from "./wal-index.ts";

// A version is a number that changes when animals, categories or orders may have changed. It follows the head of the WAL index,
// which SQLite itself looks at when a read begins: so what was read before a change never passes for current.
//
// Commits that change none of these, such as those of counters, are to leave the version alone. The
// thread that makes them notes the latest one in memory that both threads share, as two states of the head.
//
// Why no stale reply is possible: the state before is read under the write lock, so the commit that follows it is
// the writer's; the state after is noted once that commit has succeeded. Only a head that was seen in the one and is
// now in the other, word for word, keeps its version; any other commit, by anyone, leads to another state.

/** A state of the head is its number of changes and its two checksums. */
const STATE = [CHANGE, CHECKSUM_1, CHECKSUM_2] as const;

/** 1 from before a commit until its state after is noted. */
const IS_PENDING = 0;
const BEFORE = 1;
const AFTER = BEFORE + STATE.length;
const NOTE_WORDS = AFTER + STATE.length;

/** The writer's latest commit that changed no animal, category or order. */
export type CommitNote = Uint32Array<SharedArrayBuffer>;

export const newCommitNote = (): CommitNote =>
  new Uint32Array(new SharedArrayBuffer(NOTE_WORDS * Uint32Array.BYTES_PER_ELEMENT));

/**
 * Follows the version of a database for as long as a connection to it is open. Returns undefined while a
 * commit can be seen already and its note is not complete.
 */
export function followVersion(head: Uint32Array, note: CommitNote): () => number | undefined {
  let version = 0;
  let [change, checksum1, checksum2] = [head[CHANGE], head[CHECKSUM_1], head[CHECKSUM_2]];

  return () => {
    // Not with Atomics, which would write to memory that is mapped for reading only.
    const newChange = head[CHANGE];
    const newChecksum1 = head[CHECKSUM_1];
    const newChecksum2 = head[CHECKSUM_2];
    if (newChange === change && newChecksum1 === checksum1 && newChecksum2 === checksum2) return version;

    const wasBefore = isNoted(note, BEFORE, change, checksum1, checksum2);
    if (wasBefore && Atomics.load(note, IS_PENDING) === 1) return undefined;
    if (!wasBefore || !isNoted(note, AFTER, newChange, newChecksum1, newChecksum2)) version++;
    [change, checksum1, checksum2] = [newChange, newChecksum1, newChecksum2];
    return version;
  };
}

const isNoted = (note: CommitNote, at: number, ...state: readonly (number | undefined)[]): boolean =>
  state.every((word, i) => Atomics.load(note, at + i) === word);

/** Runs a commit that changes no animal, category or order, and for which the write lock is held. */
export type Bookkeeping = (commit: () => void) => void;

/** For the writer. It begins with an empty note, whatever the thread before it left behind. */
export function noteCommits(head: Uint32Array, note: CommitNote): Bookkeeping {
  for (let i = 0; i < NOTE_WORDS; i++) Atomics.store(note, i, 0);

  return (commit) => {
    const before = stateOf(head);
    Atomics.store(note, IS_PENDING, 1);
    writeState(note, BEFORE, before);
    writeState(note, AFTER, NO_STATE);
    try {
      commit();
      const after = stateOf(head);
      // Unless somebody else has committed since: what this commit led to cannot be read any more.
      if (after[0] === (before[0] + 1) >>> 0) writeState(note, AFTER, after);
    } finally {
      Atomics.store(note, IS_PENDING, 0);
    }
  };
}

type State = readonly [change: number, checksum1: number, checksum2: number];
/** No state that a head is ever in: its checksums are not 0. */
const NO_STATE: State = [0, 0, 0];

const stateOf = (head: Uint32Array): State => STATE.map((word) => head[word] as number) as unknown as State;

function writeState(note: CommitNote, at: number, state: State): void {
  for (const [i, word] of state.entries()) Atomics.store(note, at + i, word);
}

/** Where the WAL index cannot be mapped: a statement, a hundred times as slow. It counts the commits of others. */
export function versionByPragma(connection: Connection): () => number {
  const dataVersion = prepared<{ data_version: bigint }, []>(connection, "PRAGMA data_version");
  let version = 0;
  let last: unknown;
  let lastOn: unknown;
  return () => {
    const [current, on] = attempt(() => [dataVersion().get()?.data_version, dataVersion()]);
    // Every connection counts from the same number.
    if (current !== last || on !== lastOn) version++;
    [last, lastOn] = [current, on];
    return version;
  };
}
