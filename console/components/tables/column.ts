import type { ComponentChildren } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Aligned to the right, for numbers and times. */
  readonly isNumber?: boolean;
  /** Hidden on a phone. */
  readonly isWide?: boolean;
  /** Hidden on a small tablet, too. */
  readonly isExtra?: boolean;
  /** Shown on a large screen only. */
  readonly isWidest?: boolean;
  /** The name of the column in the orders of the list; without it, the list cannot be sorted by it. */
  readonly sortBy?: string;
}

export const classOf = <T>({ isNumber, isWide, isExtra, isWidest }: Column<T>): string | undefined =>
  [isNumber && "num", isWide && "only-wide", isExtra && "only-roomy", isWidest && "only-widest"]
    .filter(Boolean)
    .join(" ") || undefined;
