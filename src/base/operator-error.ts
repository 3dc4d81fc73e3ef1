/** A failure that the operator can fix: one line that says what is wrong and what to do about it. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
