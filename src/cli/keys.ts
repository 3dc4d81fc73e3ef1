import { type Command, Option } from "commander";
import { systemClock } from "../domain/clock.ts";
import type { Key } from "../domain/key.ts";
import type { Plan } from "../domain/plan.ts";
import { issueKey } from "../keys/issue.ts";
import { revokeKey } from "../keys/revoke.ts";
import { OVERLAP_DEFAULT_MS, rotateKey } from "../keys/rotate.ts";
import { showUse } from "../keys/show-use.ts";
import { unbanKey } from "../keys/unban.ts";
import type { NewKey } from "../store/store.ts";
import { withKeys } from "./context.ts";
import { failToFind, failToIssue, failToRotate } from "./key-refusals.ts";
import { factsOfKey, factsOfUse, jsonOfKey, jsonOfUse, rowOfKey, TABLE_HEAD } from "./key-views.ts";
import { JSON_OPTION, type JsonOption, parseDuration, parsePlan, parseQuota, parseTime } from "./options.ts";
import { facts, formatTime, print, printJson, table } from "./print.ts";

const SHOWN_ONCE = "The secret is shown only once: store it now.";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("Issue and manage API keys, even while the service is running.");

  keys
    .command("create")
    .description("Issue a key. Its secret is printed once.")
    .option("--name <name>", "whom or what the key is for (required)")
    .option("--plan <plan>", "free, pro, business or enterprise (required)", parsePlan)
    .option("--per-minute <requests>", "quota per minute (enterprise only)", parseQuota)
    .option("--per-day <requests>", "quota per day (enterprise only)", parseQuota)
    .option("--expires <date>", "when the key expires: 2027-01-01, or with a time and time zone", parseTime)
    .option(...JSON_OPTION)
    .action(create);

  keys
    .command("list")
    .description("List all keys, oldest first.")
    .option(...JSON_OPTION)
    .action(list);

  keys
    .command("show <id>")
    .description("Show a key and what it has used. Counts are at most a second old.")
    .option(...JSON_OPTION)
    .action(show);

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

  keys
    .command("revoke <id>")
    .description("Revoke a key permanently. A running service notices within 2 seconds.")
    .option(...JSON_OPTION)
    .action(revoke);

  keys
    .command("unban <id>")
    .description("Lift a key's ban. A running service notices within 2 seconds.")
    .option(...JSON_OPTION)
    .action(unban);
}

interface CreateOptions extends JsonOption {
  readonly name?: string;
  readonly plan?: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: number;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { name, plan, perMinute, perDay, expires: expiresAtMs, json } = options;
  // Commander's requiredOption() would complain before it has noticed that an option is misspelt.
  if (name === undefined) return command.error("error: required option '--name <name>' not specified");
  if (plan === undefined) return command.error("error: required option '--plan <plan>' not specified");
  // Opened only to create the key: a refused request must not leave a new database behind.
  const keys = { create: (key: NewKey) => withKeys({ create: true }, (context) => context.keys.create(key)) };
  const issued = await issueKey({ keys, clock: systemClock }, { name, plan, perMinute, perDay, expiresAtMs });
  if (issued.kind === "refused") return failToIssue(issued.reason, command);
  const { key, secret } = issued.value;
  if (json) printJson({ ...jsonOfKey(key, key.createdAtMs), secret });
  else print(`Key created.\n\n${facts([...factsOfKey(key, key.createdAtMs), ["secret", secret]])}\n\n${SHOWN_ONCE}`);
}

async function list({ json }: JsonOption): Promise<void> {
  await withKeys({ create: false }, async ({ keys, clock }) => {
    const all = await keys.list();
    const nowMs = clock.nowMs();
    if (json) printJson(all.map((key) => jsonOfKey(key, nowMs)));
    else if (all.length === 0) print("There are no keys yet. To issue one: animal-store keys create");
    else
      print(
        table(
          TABLE_HEAD,
          all.map((key) => rowOfKey(key, nowMs)),
        ),
      );
  });
}

async function show(id: string, { json }: JsonOption): Promise<void> {
  await withKeys({ create: false }, async (context) => {
    const shown = await showUse(context, id);
    if (shown.kind === "refused") return failToFind(id, context.keys);
    const { key, use } = shown.value;
    const nowMs = context.clock.nowMs();
    if (json) printJson({ ...jsonOfKey(key, nowMs), ...jsonOfUse(use) });
    else print(facts([...factsOfKey(key, nowMs), ...factsOfUse(use)]));
  });
}

async function rotate(id: string, options: JsonOption & { overlap: number }, command: Command): Promise<void> {
  await withKeys({ create: false }, async (context) => {
    const rotated = await rotateKey(context, { id, overlapMs: options.overlap });
    if (rotated.kind === "refused") return failToRotate(rotated.reason, id, context.keys, command);
    const { key, secret, oldSecretsExpireAtMs } = rotated.value;
    const oldSecretUntil = formatTime(oldSecretsExpireAtMs);
    if (options.json) printJson({ ...jsonOfKey(key, context.clock.nowMs()), secret, oldSecretUntil });
    else
      print(
        `Key ${id} has a new secret. The old one works until ${oldSecretUntil}.\n\n${facts([["secret", secret]])}\n\n${SHOWN_ONCE}`,
      );
  });
}

async function revoke(id: string, options: JsonOption): Promise<void> {
  await withKeys({ create: false }, async (context) => {
    const revoked = await revokeKey(context, id);
    if (revoked.kind === "refused") return failToFind(id, context.keys);
    const { key, wasRevoked } = revoked.value;
    printChanged(
      key,
      wasRevoked ? `Key ${id} was already revoked, at ${formatTime(key.revokedAtMs)}.` : `Key ${id} has been revoked.`,
      options,
    );
  });
}

async function unban(id: string, options: JsonOption): Promise<void> {
  await withKeys({ create: false }, async (context) => {
    const unbanned = await unbanKey(context, id);
    if (unbanned.kind === "refused") return failToFind(id, context.keys);
    const { key, wasBanned } = unbanned.value;
    printChanged(key, wasBanned ? `Key ${id} is no longer banned.` : `Key ${id} was not banned.`, options);
  });
}

/** Says what has changed, or for scripts shows the key as it is now. */
function printChanged(key: Key, sentence: string, { json }: JsonOption): void {
  if (json) printJson(jsonOfKey(key, systemClock.nowMs()));
  else print(sentence);
}
