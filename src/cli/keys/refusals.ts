import type { Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { harmless } from "../../base/text/text.ts";
import { isKeyId, type Key } from "../../domain/keys/key.ts";
import type { DeletionRefusal } from "../../keys/delete.ts";
import type { EditRefusal } from "../../keys/edit.ts";
import type { KeyMistake } from "../../keys/mistake.ts";
import type { CountedInRedis } from "../../keys/queries/counters.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import type { RotationRefusal } from "../../keys/rotate.ts";
import type { KeyEnded } from "../../keys/suspend.ts";
import { type KeyWords, textOfMistake, textOfOverlap, textOfRevoked } from "../../keys/wording.ts";
import { didYouMean } from "../arguments/options.ts";
import { formatTime } from "../terminal/print.ts";

// Refusals of the use-cases, in the words of the command line. Options that can never be given so are misuse, which
// commander reports; what depends on the key is an OperatorError.

const OPTIONS: KeyWords = {
  name: "--name",
  perMinute: "--per-minute",
  perDay: "--per-day",
  scopes: "--scopes",
  expiry: "--expires",
  overlap: "--overlap",
  enterprise: "--plan enterprise",
};

/** More would be unreadable on one line. */
const IDS_NAMED = 10;

export function failToIssue(reason: KeyMistake, command: Command): never {
  return command.error(`error: ${textOfMistake(reason, OPTIONS)}`);
}

const EDITABLE = ["--name", "--plan", "--per-minute", "--per-day", "--scopes", "--read-only", "--expires"];

export function failToEdit(reason: EditRefusal, idOrName: string, command: Command): never {
  switch (reason.kind) {
    case "no_such_key":
    case "several_have_name":
      return failToFind(reason, idOrName);
    case "nothing_to_change":
      return command.error(`error: there is nothing to change: give at least one of ${EDITABLE.join(", ")}`);
    case "revoked":
      return failForRevoked(reason.key);
    case "plan_has_fixed_quotas":
    case "plan_needs_quotas":
      throw new OperatorError(textOfMistake(reason, OPTIONS));
    case "minute_exceeds_day":
      throw new OperatorError(
        "the key would have more requests per minute than per day: set --per-minute and --per-day together",
      );
    default:
      return failToIssue(reason, command);
  }
}

export function failToRotate(reason: RotationRefusal, idOrName: string, command: Command): never {
  switch (reason.kind) {
    case "no_such_key":
    case "several_have_name":
      return failToFind(reason, idOrName);
    case "invalid_overlap":
      return command.error(`error: ${textOfOverlap(OPTIONS)}`);
    case "ended":
      return failForEnd(reason);
  }
}

export function failToSuspend(reason: FindRefusal | KeyEnded, idOrName: string): never {
  return reason.kind === "ended" ? failForEnd(reason) : failToFind(reason, idOrName);
}

export function failToDelete(reason: DeletionRefusal, idOrName: string): never {
  if (reason.kind !== "not_revoked") return failToFind(reason, idOrName);
  const { id } = reason.key;
  throw new OperatorError(
    `key ${id} is ${reason.state}, and only a revoked key can be deleted: revoke it first with animal-store keys revoke ${id}`,
  );
}

function failForRevoked({ id }: Key): never {
  throw new OperatorError(`${textOfRevoked(`key ${id}`)} with animal-store keys create`);
}

function failForEnd({ key, state }: KeyEnded): never {
  if (state === "revoked") return failForRevoked(key);
  throw new OperatorError(
    `key ${key.id} is expired, since ${formatTime(key.expiresAtMs as number)}: to use it again, run animal-store keys edit ${key.id} --expires with a date that is not over`,
  );
}

export function failToFind(reason: FindRefusal | CountedInRedis, idOrName: string): never {
  switch (reason.kind) {
    case "no_such_key": {
      const { suggestion } = reason;
      const hint = didYouMean(suggestion && (isKeyId(suggestion) ? suggestion : quoted(suggestion)));
      throw new OperatorError(`there is no key ${quoted(idOrName)}.${hint} To see all keys: animal-store keys list`);
    }
    case "several_have_name": {
      const { ids } = reason;
      const named = ids.length > IDS_NAMED ? [...ids.slice(0, IDS_NAMED), `${ids.length - IDS_NAMED} more`] : ids;
      throw new OperatorError(
        `${ids.length} keys are named ${quoted(idOrName)}: give the id of one instead: ${named.join(", ")}`,
      );
    }
    case "counted_in_redis":
      throw new OperatorError(NEEDS_REDIS);
  }
}

/** On one line, whatever it contains. */
const quoted = (text: string): string => harmless(JSON.stringify(text));

export const NEEDS_REDIS =
  "the instances of this service count requests in Redis: set REDIS_URL to the value that they have";
