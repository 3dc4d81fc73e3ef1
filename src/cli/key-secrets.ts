import { type Command, Option } from "commander";
import { systemClock } from "../domain/clock.ts";
import { type Key, type KeySecret, secretWorksUntilMs } from "../domain/key.ts";
import { issueKey } from "../keys/issue.ts";
import { OVERLAP_DEFAULT_MS, rotateKey } from "../keys/rotate.ts";
import type { NewKey } from "../store/store.ts";
import { withKeys } from "./context.ts";
import { addKeyOptions, expiryOf, type KeyOptions, scopesOf } from "./key-options.ts";
import { failToIssue, failToRotate } from "./key-refusals.ts";
import { factsOfKey, jsonOfKey } from "./key-views.ts";
import { JSON_OPTION, type JsonOption, parseDuration } from "./options.ts";
import { formatTime, print, printJson } from "./print.ts";
import { facts } from "./table.ts";

// The commands that print a secret.

const SHOWN_ONCE = "The secret is shown only once: store it now.";

export function addCreate(keys: Command): void {
  addKeyOptions(keys.command("create").description("Issue a key. Its secret is printed once."), " (required)")
    .option(...JSON_OPTION)
    .action(create);
}

async function create(options: KeyOptions & JsonOption, command: Command): Promise<void> {
  const { name, plan, perMinute, perDay, json } = options;
  // Commander's requiredOption() would complain before it has noticed that an option is misspelt.
  if (name === undefined) return command.error("error: required option '--name <name>' not specified");
  if (plan === undefined) return command.error("error: required option '--plan <plan>' not specified");
  // Opened only to create the key: a refused request must not leave a new database behind.
  const keys = { create: (key: NewKey) => withKeys({ create: true }, (context) => context.keys.create(key)) };
  const request = {
    name,
    plan,
    perMinute,
    perDay,
    scopes: scopesOf(options),
    expiresAtMs: expiryOf(options) ?? undefined,
  };
  const issued = await issueKey({ keys, clock: systemClock }, request);
  if (issued.kind === "refused") return failToIssue(issued.reason, command);
  const { key, secret } = issued.value;
  if (json) printJson({ ...jsonOfKey(key, key.createdAtMs), secret });
  else print(`Key created.\n\n${facts([...factsOfKey(key), ["secret", secret]])}\n\n${SHOWN_ONCE}`);
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
    .option(...JSON_OPTION)
    .action(rotate);
}

async function rotate(idOrName: string, options: JsonOption & { overlap: number }, command: Command): Promise<void> {
  await withKeys({ create: false }, async (context) => {
    const rotated = await rotateKey(context, { idOrName, overlapMs: options.overlap });
    if (rotated.kind === "refused") return failToRotate(rotated.reason, idOrName, command);
    const { key, secret, endOfOldSecrets } = rotated.value;
    const nowMs = context.clock.nowMs();
    if (options.json) {
      const endMs = endOfOldSecrets.kind === "at_once" ? nowMs : endOfOldSecrets.atMs;
      return printJson({ ...jsonOfKey(key, nowMs), secret, oldSecretUntil: formatTime(endMs) });
    }
    const [, ...replaced] = await context.keys.secretsOf(key.id);
    const sentences = [`Key ${key.id} has a new secret.`, endOfSecrets(key, replaced, nowMs)];
    if (key.suspendedAtMs !== undefined)
      sentences.push(`None works while the key is suspended: animal-store keys resume ${key.id}`);
    print(`${sentences.join(" ")}\n\n${facts([["secret", secret]])}\n\n${SHOWN_ONCE}`);
  });
}

/** When the secrets that a rotation has replaced stop working. A service may accept them for 2 seconds more. */
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
