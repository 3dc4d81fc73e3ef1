import type { Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import type { Result } from "../../base/result.ts";
import { formatNumber, harmless } from "../../base/text/text.ts";
import { isKeyId } from "../../domain/keys/key.ts";
import type { KeyMistakes } from "../../keys/mistake.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import { type KeyNouns, mistakesIn, textOfKeyRefusal, type WordedRefusal } from "../../keys/wording.ts";
import { didYouMean } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";

// Refusals of the use-cases, in the words of the command line. An option that is always invalid is misuse, which
// commander reports; a refusal that depends on the key is an OperatorError.

const NOUNS: KeyNouns = {
  name: "--name",
  perMinute: "--per-minute",
  perDay: "--per-day",
  scopes: "--scopes",
  expiry: "--expires",
  never: "never",
  overlap: "--overlap",
  enterprise: "--plan enterprise",
  key: ({ id }) => `key ${id}`,
  changeSomething:
    "give at least one of --name, --plan, --per-minute, --per-day, --scopes, --read-only, --rotation, --expires",
  get issueAnother() {
    return `issue a new one with ${ownCommand("keys create")}`;
  },
  postponeExpiry: ({ id }) => `set a later date with ${ownCommand(`keys edit ${id} --expires`)}`,
  revoke: ({ id }) => `revoke it first with ${ownCommand(`keys revoke ${id}`)}`,
};

const MISUSES: readonly WordedRefusal["kind"][] = [
  "invalid_name",
  "expiry_not_in_future",
  "no_scopes",
  "invalid_quotas",
  "nothing_to_change",
  "invalid_overlap",
];

export function failToIssue(reason: KeyMistakes, command: Command): never {
  return command.error(`error: ${textOf(reason)}`);
}

/** All mistakes on one line. */
const textOf = (reason: WordedRefusal): string =>
  mistakesIn(reason)
    .map((each) => textOfKeyRefusal(each, NOUNS))
    .join("; ");

export function failForKey(reason: FindRefusal | WordedRefusal, idOrName: string, command?: Command): never {
  if (reason.kind === "no_such_key" || reason.kind === "several_have_name")
    throw new OperatorError(textOfSearch(reason, idOrName));
  const text = textOf(reason);
  if (command && MISUSES.includes(reason.kind)) return command.error(`error: ${text}`);
  throw new OperatorError(text);
}

/** Returns the value of a result, or fails with its refusal. */
export const valueFor = <Value>(
  idOrName: string,
  result: Result<Value, FindRefusal | WordedRefusal>,
  command?: Command,
): Value => (result.kind === "done" ? result.value : failForKey(result.reason, idOrName, command));

/** More would be unreadable on one line. */
const IDS_NAMED = 10;

function textOfSearch(reason: FindRefusal, idOrName: string): string {
  if (reason.kind === "no_such_key") {
    const { suggestion } = reason;
    const hint = didYouMean(suggestion && (isKeyId(suggestion) ? suggestion : quoted(suggestion)));
    return `there is no key ${quoted(idOrName)}.${hint} To see all keys: ${ownCommand("keys list")}`;
  }
  const { ids } = reason;
  const named =
    ids.length > IDS_NAMED ? [...ids.slice(0, IDS_NAMED), `${formatNumber(ids.length - IDS_NAMED)} more`] : ids;
  return `${formatNumber(ids.length)} keys are named ${quoted(idOrName)}: give the id of one instead: ${named.join(", ")}`;
}

/** Quoted, and on one line whatever it contains. */
const quoted = (text: string): string => harmless(JSON.stringify(text));

export const NEEDS_REDIS = textOfKeyRefusal({ kind: "counted_in_redis" }, NOUNS);
