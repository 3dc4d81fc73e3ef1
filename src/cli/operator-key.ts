import { type Sentences, sentenceFor } from "../base/text/sentences.ts";
import type { OperatorKeyProblem } from "../keys/operator-key.ts";
import { ownCommand } from "./own-command.ts";
import { formatTime } from "./terminal/print.ts";

/** Says why the secret in the operator's file does not work. */
export const wordsFor = (problem: OperatorKeyProblem): string => sentenceFor(problem, PROBLEMS, undefined);

const PROBLEMS: Sentences<OperatorKeyProblem, undefined> = {
  unknown: () => "no key of this database has this secret, so it was deleted, or the file is of another database",
  revoked: ({ keyId }) => `${keyId} was revoked`,
  expired: ({ keyId, atMs }) => `${keyId} expired on ${formatTime(atMs)}`,
  replaced: ({ keyId }) => `${keyId} was rotated, and has another secret since`,
  suspended: ({ keyId }) => `${keyId} is suspended; to make it work again: ${ownCommand(`keys resume ${keyId}`)}`,
};
