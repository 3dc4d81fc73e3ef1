import { type Command, Option } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { refused } from "../../base/result.ts";
import { countOf, formatNumber, harmless } from "../../base/text/text.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../../domain/environment.ts";
import { type Key, type KeySecret, secretWorksUntilMs } from "../../domain/keys/key.ts";
import { draftKey, type IssuedKey, issueKey } from "../../keys/issue.ts";
import { type ListedKey, listKeys } from "../../keys/queries/list.ts";
import { OVERLAP_DEFAULT_MS, type RotatedKey, rotateKey } from "../../keys/rotate.ts";
import { type Store, StoreUnavailable } from "../../store/ports/store.ts";
import { aliveInstances, withKeys } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { type JsonOption, parseDuration } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { formatTime, isoTime, note, print } from "../terminal/print.ts";
import { writeEndOfJson, writeSecret, writeSecretJson } from "../terminal/stdout.ts";
import { type Facts, facts } from "../terminal/table.ts";
import { addKeyOptions, type KeyOptions, wantedIn } from "./options.ts";
import { failToIssue, valueFor } from "./refusals.ts";
import { factsOfKey, jsonOfKey } from "./views.ts";

// The commands that print a secret.

const SHOWN_ONCE = "The secret is shown only once: store it now.";

export function addCreate(keys: Command): void {
  const command = keys.command("create").description("Issue a key. Its secret is printed once.");
  addKeyOptions(command, " (required)").action(create);
  addExamples(command, [
    ["keys create --name Storefront --plan pro --expires 90d", "for a shop on the web"],
    ["keys create --name Reports --plan free --read-only", "for a program that only reads"],
  ]);
}

async function create(options: KeyOptions & JsonOption, command: Command): Promise<void> {
  const { name, plan, json } = options;
  // Commander's requiredOption() would complain before it reports a misspelt option.
  if (name === undefined) return command.error("error: required option '--name <name>' not specified");
  if (plan === undefined) return command.error("error: required option '--plan <plan>' not specified");
  const { expiresAtMs, ...wanted } = wantedIn(options);
  const request = { ...wanted, name, plan, expiresAtMs: expiresAtMs ?? undefined };
  // Misuse is reported even without a database.
  const draft = draftKey(request, systemClock.nowMs());
  if (draft.kind === "refused") return failToIssue(draft.reason, command);
  await withKeys(async (context, store) => {
    await refuseOtherEnvironment(store, context.environment);
    const deliver = ({ key, secret }: IssuedKey): void =>
      json
        ? writeSecretJson({ ...jsonOfKey(key, key.createdAtMs), secret })
        : printSecret([...factsOfKey(key), ["secret", secret]]);
    // Programs name keys by their ids.
    const namesakes = json ? undefined : await listKeys({ ...context, counters: UNCOUNTED }, { name });
    const issued = await issueKey({ ...context, deliver }, request).catch(failAfterDelivery);
    if (issued.kind === "refused") return failToIssue(issued.reason, command);
    if (namesakes?.kind === "done") noteNamesakes(issued.value.key, namesakes.value.keys);
    if (json) writeEndOfJson();
    else print(`\nKey created. ${SHOWN_ONCE}`);
  });
}

/** States do not matter here. */
const UNCOUNTED = async () => refused({ kind: "counted_in_redis" } as const);

/** More would be unreadable on one line. */
const IDS_NAMED = 10;

/** On standard error: commands then need the id. */
function noteNamesakes({ id, name }: Key, others: readonly ListedKey[]): void {
  if (others.length === 0) return;
  const ids = others.slice(0, IDS_NAMED).map(({ key }) => key.id);
  const rest = others.length > ids.length ? `, and ${formatNumber(others.length - ids.length)} more` : "";
  note(
    `${countOf(others.length, "other key is", "other keys are")} named ${harmless(JSON.stringify(name))} (${ids.join(", ")}${rest}): name this one by its id, ${id}.`,
  );
}

/** The prefix of a secret names its environment: with a forgotten setting, it would look like one of the other's. */
async function refuseOtherEnvironment(store: Store, environment: EnvironmentName): Promise<void> {
  const served = (await aliveInstances(store)).map((instance) => instance.environment);
  if (served[0] && !served.includes(environment))
    throw new OperatorError(
      `the service on this database is ${served[0]}, and ENVIRONMENT is ${environment} here: set ENVIRONMENT=${served[0]}, or check DATABASE_URL`,
    );
}

export function addRotate(keys: Command): void {
  keys
    .command("rotate <id>")
    .description("Give a key a new secret. The old one keeps working for the overlap and shares the key's quotas.")
    .addOption(
      new Option("--overlap <duration>", "how long the old secret keeps working: 30m, 24h, 7d, or 0")
        .argParser(parseDuration)
        .default(OVERLAP_DEFAULT_MS, "24h"),
    )
    .action(rotate);
}

async function rotate(idOrName: string, options: JsonOption & { overlap: number }, command: Command): Promise<void> {
  await withKeys(async (context, store) => {
    await refuseOtherEnvironment(store, context.environment);
    const nowMs = context.clock.nowMs();
    const deliver = ({ key, secret, oldSecretsEndAtMs }: RotatedKey): void =>
      options.json
        ? writeSecretJson({ ...jsonOfKey(key, nowMs), secret, oldSecretUntil: isoTime(oldSecretsEndAtMs) })
        : printSecret([["secret", secret]]);
    const request = { idOrName, overlapMs: options.overlap };
    const rotated = await rotateKey({ ...context, deliver }, request).catch(failAfterDelivery);
    const { key } = valueFor(idOrName, rotated, command);
    if (options.json) return writeEndOfJson();
    const [, ...replaced] = await context.keys.secretsOf(key.id);
    const sentences = [`Key ${key.id} has a new secret.`, endOfSecrets(key, replaced, context.clock.nowMs())];
    if (key.suspendedAtMs !== undefined)
      sentences.push(`None works while the key is suspended: ${ownCommand(`keys resume ${key.id}`)}`);
    print(`\n${sentences.join(" ")}\n${SHOWN_ONCE}`);
  });
}

// A secret is printed before it is made to work: a secret that cannot be printed is not made.

const printSecret = (lines: Facts): void => writeSecret(`${facts(lines)}\n`);

/** Says that the printed secret does not work. */
function failAfterDelivery(error: unknown): never {
  if (error instanceof StoreUnavailable)
    throw new OperatorError(
      error.changed === "unknown"
        ? `the database did not answer, so the secret above may or may not work: see ${ownCommand("keys list")} (${error.message})`
        : `the secret above does not work, because nothing was changed: the database is unavailable: ${error.message}`,
    );
  throw error;
}

/** Says when replaced secrets stop working. A service may accept them for 2 seconds more. */
function endOfSecrets(key: Key, replaced: readonly KeySecret[], nowMs: number): string {
  const ends = replaced
    .map((secret) => secretWorksUntilMs(key, secret) ?? nowMs)
    .filter((ms) => ms > nowMs)
    .sort((a, b) => a - b);
  if (ends.length === 0) return "Old secrets no longer work.";
  const times = [...new Set(ends)].map((ms) =>
    ms === key.expiresAtMs ? `the key expires, at ${formatTime(ms)}` : formatTime(ms),
  );
  return ends.length === 1
    ? `The old one works until ${times}.`
    : `The ${ends.length} old ones work until ${times.join(" and ")}.`;
}
