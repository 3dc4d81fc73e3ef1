import type { Check } from "./env.ts";
import * as errors from "./errors.ts";
import * as exact from "./exact.ts";
import * as failures from "./failures.ts";
import * as hooks from "./hooks.ts";
import * as operations from "./operations.ts";
import * as secrets from "./secrets.ts";
import * as waiting from "./waiting.ts";

/** All checks that run in every runtime, by name. */
export const CHECKS: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.entries({ ...operations, ...exact, ...errors, ...failures, ...secrets, ...hooks, ...waiting }).map(
    ([name, check]) => [inWords(name), check],
  ),
);

/** Checks that the testing kit cannot serve: they need addresses where nothing or a stranger listens, or a fetch of their own. */
const OF_A_NETWORK: readonly Check[] = [
  errors.failuresWithoutAnAnswerAreToldApart,
  errors.theKeyIsNeverShown,
  failures.aConnectionThatBreaksAnywhereIsAFailedConnection,
  failures.anAnswerThatNeverComesOrNeverEndsIsATimeout,
  failures.whatIsNotTheServiceIsToldAndNotAskedAgain,
  failures.aSuccessOfAWriteIsNeverTakenForAStrangers,
  failures.newCodesAndWaitsPassAsTheyAre,
  failures.anAbortIsToldWhereverItHappens,
  hooks.hooksHearOfEveryAttempt,
  hooks.ownFetchAndOwnHeadersAreUsed,
  hooks.theEnvironmentSetsUpAClientWhereThereIsOne,
];

/** The checks that run on the testing kit in every runtime, too. */
export const KIT_CHECKS: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.entries(CHECKS).filter(([, check]) => !OF_A_NETWORK.includes(check)),
);

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
