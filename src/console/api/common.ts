// What several resources have.

/** The body of every failure, whatever its status. */
export interface ConsoleError {
  readonly code: string;
  /** What is wrong and what to do about it, for the person at the screen. */
  readonly message: string;
  /** The field of the form that it is about, if it is about one. */
  readonly field?: string;
}

/** A page of a long list. */
export interface PageView<T> {
  readonly items: readonly T[];
  /** For ?cursor= of the next one; null on the last one. */
  readonly next: string | null;
}

/** A number that may be known only about, or as of some time ago. */
export interface Count {
  readonly value: number;
  readonly isEstimate: boolean;
  readonly asOfMs: number;
}

/** What cannot be undone asks for the name first: of a key, an animal, or the file of an import. */
export interface ConfirmedForm {
  readonly name: string;
}
