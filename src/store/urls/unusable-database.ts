import { type DatabaseRemedy, OperatorError } from "../../base/operator-error.ts";

/** A database that cannot be used as it was given. */
export class UnusableDatabase extends OperatorError {
  constructor(
    message: string,
    override readonly remedy: DatabaseRemedy,
  ) {
    super(message, remedy);
  }

  override of(database: string): UnusableDatabase {
    return new UnusableDatabase(`${database}: ${this.message}`, this.remedy);
  }
}
