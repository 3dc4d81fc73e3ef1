import type { OperatorKeyProblem } from "../keys/operator-key.ts";
import { ownCommand } from "./own-command.ts";
import { formatTime } from "./terminal/print.ts";

/** Says why the secret in the operator's file does not work. */
export function wordsFor(problem: OperatorKeyProblem): string {
  switch (problem.kind) {
    case "unknown":
      return "no key of this database has this secret, so it was deleted, or the file is of another database";
    case "revoked":
      return `${problem.keyId} was revoked`;
    case "expired":
      return `${problem.keyId} expired on ${formatTime(problem.atMs)}`;
    case "replaced":
      return `${problem.keyId} was rotated, and has another secret since`;
    case "suspended":
      return `${problem.keyId} is suspended; to make it work again: ${ownCommand(`keys resume ${problem.keyId}`)}`;
  }
}
