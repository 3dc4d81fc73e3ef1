import type { Command } from "commander";
import { OperatorError } from "../domain/fault.ts";
import { digestOf, type Key, newKey, newSecret, stateOf } from "../domain/key.ts";
import { PLANS, type Plan, type Quotas } from "../domain/plan.ts";
import type { Store } from "../store/store.ts";
import { countedFor, withStore } from "./context.ts";
import { factsOfKey, jsonOfKey, jsonOfUse, rowOfKey, TABLE_HEAD } from "./key-views.ts";
import { parseDuration, parseFutureMoment, parseName, parsePlan, parseQuota } from "./options.ts";
import { count, facts, moment, print, printJson, table } from "./print.ts";
import { didYouMean } from "./suggest.ts";

const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;
const SHOWN_ONCE = "The secret is shown this once: store it now.";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("Issue and manage API keys, also while the service runs.");

  keys
    .command("create")
    .description("Issue a key. Its secret is printed once.")
    .option("--name <name>", "whom or what the key is for (required)", parseName)
    .option("--plan <plan>", "free, pro, business or enterprise (required)", parsePlan)
    .option("--per-minute <requests>", "quota per minute (enterprise only)", parseQuota)
    .option("--per-day <requests>", "quota per day (enterprise only)", parseQuota)
    .option("--expires <date>", "when it ends: 2027-01-01, or with a time and zone", parseFutureMoment)
    .option(...JSON_OPTION)
    .action(create);

  keys
    .command("list")
    .description("All keys, oldest first.")
    .option(...JSON_OPTION)
    .action(list);

  keys
    .command("show <id>")
    .description("One key, with what it has used. Counts are at most a second old.")
    .option(...JSON_OPTION)
    .action(show);

  keys
    .command("rotate <id>")
    .description("Give a key a new secret. The old one works on for the overlap, on the same quotas.")
    .option(
      "--overlap <duration>",
      "how long the old secret works on: 30m, 24h, 7d, or 0",
      parseDuration,
      parseDuration("24h"),
    )
    .option(...JSON_OPTION)
    .action(rotate);

  keys
    .command("revoke <id>")
    .description("End a key for good. A running service knows within 2 seconds.")
    .option(...JSON_OPTION)
    .action(revoke);

  keys
    .command("unban <id>")
    .description("Lift a key's ban. A running service knows within 2 seconds.")
    .option(...JSON_OPTION)
    .action(unban);
}

interface JsonOption {
  readonly json?: true;
}

interface CreateOptions extends JsonOption {
  readonly name?: string;
  readonly plan?: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: number;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { name, plan } = options;
  // Commander's own requiredOption() would speak before it has seen that an option is misspelt.
  if (name === undefined) return command.error("error: required option '--name <name>' not specified");
  if (plan === undefined) return command.error("error: required option '--plan <plan>' not specified");
  const secret = newSecret();
  const quotas = quotasFor(plan, options);
  const key = newKey({ name, plan, quotas, createdAtMs: Date.now(), expiresAtMs: options.expires });
  await withStore({ create: true }, async (store) => store.keys.create(key, digestOf(secret)));
  if (options.json) printJson({ ...jsonOfKey(key), secret });
  else print(`Key created.\n\n${facts([...factsOfKey(key), ["secret", secret]])}\n\n${SHOWN_ONCE}`);
}

function quotasFor(plan: Plan, { perMinute, perDay }: CreateOptions): Quotas {
  const fixed = PLANS[plan];
  if (fixed) {
    if (perMinute === undefined && perDay === undefined) return fixed;
    throw new OperatorError(
      `the ${plan} plan has quotas of its own: leave out --per-minute and --per-day, or use --plan enterprise`,
    );
  }
  if (perMinute === undefined || perDay === undefined)
    throw new OperatorError(`the ${plan} plan has no quotas of its own: give --per-minute and --per-day`);
  if (perMinute > perDay) throw new OperatorError("--per-minute must not be more than --per-day");
  return { perMinute, perDay };
}

async function list({ json }: JsonOption): Promise<void> {
  const keys = await withStore({ create: false }, async (store) => store.keys.list());
  if (json) printJson(keys.map(jsonOfKey));
  else if (keys.length === 0) print("There are no keys. Issue one with: keys create");
  else print(table(TABLE_HEAD, keys.map(rowOfKey)));
}

async function show(id: string, { json }: JsonOption): Promise<void> {
  await withStore({ create: false }, async (store) => {
    const key = await find(store, id);
    const use = jsonOfUse(key, await countedFor(store, id), Date.now());
    if (json) return printJson({ ...jsonOfKey(key), ...use });
    const { minute, day, bannedUntil } = use;
    print(
      facts([
        ...factsOfKey(key),
        ["this minute", `${count(minute.used)} used, ${count(minute.remaining)} left`],
        ["this day", `${count(day.used)} used, ${count(day.remaining)} left`],
        ["banned", bannedUntil ? `until ${bannedUntil}` : "no"],
      ]),
    );
  });
}

async function rotate(id: string, { overlap, json }: JsonOption & { overlap: number }): Promise<void> {
  const secret = newSecret();
  const oldExpireAtMs = Date.now() + overlap;
  const key = await withStore({ create: false }, async (store) => {
    const found = await find(store, id);
    if (stateOf(found, Date.now()) !== "active")
      throw new OperatorError(`key ${id} is ${stateOf(found, Date.now())}: issue a new one with keys create`);
    await store.keys.rotate(id, digestOf(secret), oldExpireAtMs);
    return found;
  });
  const oldSecretUntil = moment(oldExpireAtMs);
  if (json) printJson({ ...jsonOfKey(key), secret, oldSecretUntil });
  else
    print(
      `Key ${id} has a new secret. The old one works until ${oldSecretUntil}.\n\n${facts([["secret", secret]])}\n\n${SHOWN_ONCE}`,
    );
}

async function revoke(id: string, { json }: JsonOption): Promise<void> {
  await change(id, json, async (store, before) => {
    if (before.revokedAtMs !== undefined) return `Key ${id} was revoked already, at ${moment(before.revokedAtMs)}.`;
    await store.keys.revoke(id, Date.now());
    return `Key ${id} is revoked.`;
  });
}

async function unban(id: string, { json }: JsonOption): Promise<void> {
  await change(id, json, async (store, before) => {
    await store.keys.pardon(id, Date.now());
    const counted = await countedFor(store, id);
    const { bannedUntil } = jsonOfUse(before, counted, Date.now());
    // The clock that the ban began by may be ahead of this machine's.
    if (counted && counted.conduct.bannedAtMs > Date.now()) await store.keys.pardon(id, counted.conduct.bannedAtMs);
    return bannedUntil ? `Key ${id} is no longer banned.` : `Key ${id} was not banned.`;
  });
}

/** Changes a key and says so, or shows what it is now. */
async function change(
  id: string,
  json: true | undefined,
  work: (store: Store, before: Key) => Promise<string>,
): Promise<void> {
  await withStore({ create: false }, async (store) => {
    const sentence = await work(store, await find(store, id));
    if (json) printJson(jsonOfKey(await find(store, id)));
    else print(sentence);
  });
}

async function find(store: Store, id: string): Promise<Key> {
  const key = await store.keys.get(id);
  if (key) return key;
  const ids = (await store.keys.list()).map((known) => known.id);
  throw new OperatorError(`there is no key ${JSON.stringify(id)}.${didYouMean(id, ids)} See: keys list`);
}
