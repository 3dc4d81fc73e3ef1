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
}

export const classOf = <T>({ isNumber, isWide, isExtra }: Column<T>): string | undefined =>
  [isNumber && "num", isWide && "only-wide", isExtra && "only-roomy"].filter(Boolean).join(" ") || undefined;
