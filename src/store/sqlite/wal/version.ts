import type { Database } from "bun:sqlite";
import type { Version } from "../../ports/store.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { isHeadAt, type State, stateOf } from "./index.ts";

// A version says what may have changed in animals, categories and orders. It follows the head of the WAL index, which
// SQLite itself looks at when a read begins. The writer notes in memory that all threads share which counts belong to
// the head after its latest commit: of changes, and of additions, which do nothing but add animals.
//
// Why no stale reply is possible: SQLite tells the writer under the write lock whether anybody else has committed since
// its last commit, and then the changes grow. So of two heads that were ever noted with the same number of changes, the
// later differs by additions at most, however many were missed in between; with the same additions too, by nothing.
// Only a head that is noted, word for word, gets the noted counts. While the writer commits, any other head is unknown;
// otherwise it is that of another process, and gets a number that neither the note nor this thread uses again.

/** No state that a head is ever in: its checksums are not 0. */
const NO_STATE: State = [0, 0, 0];

/** Odd while the writer commits. Half of it is the number of the latest entry, of which the last two are kept. */
const SEQUENCE = 0;
const FIRST_ENTRY = 1;
/** Positions in an entry, after the state. */
const CHANGES = NO_STATE.length;
const ADDITIONS = CHANGES + 1;
const ENTRY_WORDS = ADDITIONS + 1;
const NOTE_WORDS = FIRST_ENTRY + 2 * ENTRY_WORDS;

/** Shared memory in which the writer notes its commits up to some state of the head. */
export type CommitNote = Uint32Array<SharedArrayBuffer>;

export const newCommitNote = (): CommitNote =>
  new Uint32Array(new SharedArrayBuffer(NOTE_WORDS * Uint32Array.BYTES_PER_ELEMENT));

const entryNumber = (sequence: number): number => sequence >>> 1;
const startOf = (entry: number): number => FIRST_ENTRY + (entry % 2) * ENTRY_WORDS;

/**
 * Follows the version of a database for as long as a connection to it is open; each thread does so by itself. Returns
 * undefined while a commit can be seen already and its note is not complete.
 */
export function followVersion(head: Uint32Array, note: CommitNote): () => Version | undefined {
  let version: Version = { changes: 0, additions: 0 };
  let unnoted = 0;
  let seen: State = NO_STATE;

  return () => {
    if (isHeadAt(head, seen)) return version;

    // Read before the head: a commit that is noted later shows in the sequence.
    const sequence = Atomics.load(note, SEQUENCE);
    const state = stateOf(head);
    const noted = countsOf(note, entryNumber(sequence), state);
    if (noted) {
      if (noted.changes !== version.changes || noted.additions !== version.additions) version = noted;
    } else {
      if (sequence % 2 === 1 || Atomics.load(note, SEQUENCE) !== sequence) return undefined;
      version = { changes: --unnoted, additions: 0 };
    }
    seen = state;
    return version;
  };
}

/** Returns the counts that an entry has for a state; undefined if it is of another state, or was replaced meanwhile. */
function countsOf(note: CommitNote, entry: number, state: State): Version | undefined {
  const start = startOf(entry);
  for (let i = 0; i < state.length; i++) if (Atomics.load(note, start + i) !== state[i]) return undefined;
  const counts = { changes: Atomics.load(note, start + CHANGES), additions: Atomics.load(note, start + ADDITIONS) };
  return entryNumber(Atomics.load(note, SEQUENCE)) === entry ? counts : undefined;
}

/** The effect of a commit on animals, categories and orders: none, only added animals, or any change. */
export type Effect = "none" | "addition" | "change";

/** Runs a transaction with its commit. The write lock is held already, and nothing has been written yet. */
export type NoteCommit = <Result>(effect: Effect, transaction: () => Result) => Result;

/** Notes the commits of a writer. It begins with a change, because the last commits of an earlier writer may not be noted. */
export function noteCommits(head: Uint32Array, note: CommitNote, db: Database): NoteCommit {
  const hasAnyoneElseCommitted = followOthers(db);
  let entry = entryNumber(Atomics.load(note, SEQUENCE));
  let changes = Atomics.load(note, startOf(entry) + CHANGES) + 1;
  let additions = Atomics.load(note, startOf(entry) + ADDITIONS);

  /** The entry that threads are reading is left alone. */
  function addEntry(state: State): void {
    entry++;
    for (const [i, word] of [...state, changes, additions].entries()) Atomics.store(note, startOf(entry) + i, word);
    Atomics.store(note, SEQUENCE, 2 * entry);
  }
  addEntry(stateOf(head));

  return (effect, transaction) => {
    Atomics.store(note, SEQUENCE, 2 * entry + 1);
    let hasChanged = true;
    try {
      if (hasAnyoneElseCommitted()) changes++;
      const result = transaction();
      hasChanged = effect === "change";
      if (effect === "addition") additions++;
      return result;
    } finally {
      if (hasChanged) changes++;
      const state = stateOf(head);
      const isOvertaken = hasAnyoneElseCommitted();
      if (isOvertaken) changes++;
      addEntry(isOvertaken ? NO_STATE : state);
    }
  };
}

/** Returns a function that tells whether another connection has committed since its last call. */
export function followOthers(connection: Connection): () => boolean {
  const dataVersion = prepared<{ data_version: bigint }, []>(connection, "PRAGMA data_version");
  let last: unknown;
  let lastOn: unknown;
  const hasChanged = (): boolean => {
    try {
      const statement = dataVersion();
      const current = statement.get()?.data_version;
      // Every connection counts from the same number.
      const isSame = current === last && statement === lastOn;
      [last, lastOn] = [current, statement];
      return !isSame;
    } catch {
      // The disk fails, so it is not known.
      last = undefined;
      return true;
    }
  };
  hasChanged();
  return hasChanged;
}

/** Counts the commits of others by a statement, where the WAL index cannot be mapped. It is a hundred times as slow. */
export function versionByPragma(connection: Connection): () => Version {
  const hasAnyoneElseCommitted = followOthers(connection);
  let version: Version = { changes: 0, additions: 0 };
  return () => {
    if (hasAnyoneElseCommitted()) version = { changes: version.changes + 1, additions: 0 };
    return version;
  };
}
