import { useEffect, useRef, useState } from "preact/hooks";
import { turnedOver } from "./ticks.ts";

/** The rows of a list that are ticked, to do something to all of them. They are always rows that are shown. */
export interface Selection<T> {
  readonly rows: readonly T[];
  readonly isTicked: (row: T) => boolean;
  /** The name of a row, for people. */
  readonly nameOf: (row: T) => string;
  /** Ticks a row, or no longer. A range begins at the row before. */
  readonly turnOver: (row: T, isRange: boolean) => void;
  readonly areAllTicked: boolean;
  readonly tickAll: () => void;
  readonly tickNone: () => void;
  /** Ticks some no longer, such as those that something was done to. */
  readonly drop: (rows: readonly T[]) => void;
}

interface Names<T> {
  readonly idOf: (row: T) => string;
  readonly nameOf: (row: T) => string;
}

/** The selection among the rows of a list; undefined: they are not loaded yet. */
export function useSelection<T>(shown: readonly T[] | undefined, { idOf, nameOf }: Names<T>): Selection<T> {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | undefined>(undefined);
  const all = shown ?? [];
  const ids = all.map(idOf);
  // A row that has left the list does not come back ticked.
  useEffect(() => setTicked((last) => without(last, (id) => !ids.includes(id))), [shown]);
  const rows = all.filter((row) => ticked.has(idOf(row)));
  return {
    rows,
    nameOf,
    isTicked: (row) => ticked.has(idOf(row)),
    turnOver(row, isRange) {
      const id = idOf(row);
      setTicked((last) => turnedOver(last, ids, id, isRange ? anchor.current : undefined));
      anchor.current = id;
    },
    areAllTicked: all.length > 0 && rows.length === all.length,
    tickAll: () => setTicked(new Set(ids)),
    tickNone: () => setTicked(new Set()),
    drop(gone) {
      const goneIds = gone.map(idOf);
      setTicked((last) => without(last, (id) => goneIds.includes(id)));
    },
  };
}

/** The same set if it has none of these, so that nothing is rendered again. */
function without(ids: ReadonlySet<string>, isGone: (id: string) => boolean): ReadonlySet<string> {
  const kept = [...ids].filter((id) => !isGone(id));
  return kept.length === ids.size ? ids : new Set(kept);
}
