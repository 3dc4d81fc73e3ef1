// Shared by several resources.

/** The body of every failure, whatever its status. */
export interface ConsoleError {
  readonly code: string;
  /** Names the problem and the remedy, for the person at the screen. */
  readonly message: string;
  /** The field of the form that it is about, if any. */
  readonly field?: string;
  /** Further mistakes, in other fields. */
  readonly others?: readonly FieldMistakeView[];
}

export interface FieldMistakeView {
  readonly field: string;
  readonly message: string;
}

/** A page of a long list. */
export interface PageView<T> {
  readonly items: readonly T[];
  /** The ?cursor= of the next page; null on the last one. */
  readonly next: string | null;
}

/** A number that may be an estimate, or some time old. */
export interface Count {
  readonly value: number;
  readonly isEstimate: boolean;
  readonly asOfMs: number;
}

/** What is counted to a limit only, so that no page takes long. */
export interface BoundedCount {
  readonly value: number;
  /** There are more than the value. */
  readonly areMore: boolean;
}

/** Confirms what cannot be undone by a name: of a key, an animal, or the file of an import. */
export interface ConfirmedForm {
  readonly name: string;
}
