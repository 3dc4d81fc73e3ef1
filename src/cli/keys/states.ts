import type { Command } from "commander";
import type { Result } from "../../base/result.ts";
import type { Key } from "../../domain/keys/key.ts";
import { DELETABLE_AFTER_MS, deleteKey } from "../../keys/delete.ts";
import type { KeyContext } from "../../keys/queries/context.ts";
import { type FindRefusal, findKey } from "../../keys/queries/find.ts";
import { type ChangedKey, revokeKey } from "../../keys/revoke.ts";
import { resumeKey, suspendKey } from "../../keys/suspend.ts";
import { unbanKey } from "../../keys/unban.ts";
import type { WordedRefusal } from "../../keys/wording.ts";
import { withKeys } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { addYes, confirmation, type YesOption } from "../terminal/confirmation.ts";
import { formatDuration, formatMinute, formatTime, note, print, printJson } from "../terminal/print.ts";
import { valueFor } from "./refusals.ts";
import { jsonOfKey } from "./views.ts";

// The commands that decide whether a key works.

interface StateChange {
  readonly description: string;
  readonly run: (context: KeyContext, idOrName: string) => Promise<Result<ChangedKey, FindRefusal | WordedRefusal>>;
  /** Said of the key after the change. */
  readonly changed: (key: Key) => string;
  /** Said of it if nothing had to change. */
  readonly unchanged?: (key: Key) => string;
  /** Said before the question of a change that cannot be undone. Undefined: nothing will be lost. */
  readonly loss?: (key: Key) => string | undefined;
}

const CHANGES: Readonly<Record<string, StateChange>> = {
  suspend: {
    description: "Make a key stop working until it is resumed.",
    run: suspendKey,
    changed: ({ id }) => `has been suspended. To undo it: ${ownCommand(`keys resume ${id}`)}`,
    unchanged: ({ suspendedAtMs }) => `was already suspended, at ${formatTime(suspendedAtMs as number)}.`,
  },
  resume: {
    description: "Make a suspended key work again.",
    run: resumeKey,
    changed: () => "works again.",
    unchanged: () => "was not suspended.",
  },
  unban: {
    description: "Lift a key's ban. Its next ban will be as short as a first one.",
    run: unbanKey,
    changed: () => "is no longer banned.",
    unchanged: () => "was not banned.",
  },
  revoke: {
    description: "Revoke a key permanently. It stays listed until it is deleted.",
    run: revokeKey,
    changed: () => "has been revoked.",
    unchanged: ({ revokedAtMs }) => `was already revoked, at ${formatTime(revokedAtMs as number)}.`,
    loss: ({ id, name, lastUsedAtMs, revokedAtMs }) =>
      revokedAtMs === undefined
        ? `Key ${id} (${name}), ${lastUse(lastUsedAtMs)}, will be revoked: it can never work again.`
        : undefined,
  },
  delete: {
    description: `Delete a revoked key and everything that is kept about it, at the earliest ${formatDuration(DELETABLE_AFTER_MS)} after it was revoked. This cannot be undone.`,
    run: (context, idOrName) => deleteKey({ ...context, sleep: Bun.sleep, onWait: noteWait }, idOrName),
    changed: () => "has been deleted, which cannot be undone.",
    loss: ({ id, name, lastUsedAtMs, revokedAtMs }) =>
      revokedAtMs === undefined
        ? undefined
        : `Key ${id} (${name}), ${lastUse(lastUsedAtMs)}, will be deleted, with its secrets, usage and saved responses.`,
  },
};

const lastUse = (ms: number | undefined): string => (ms === undefined ? "never used" : `last used ${formatMinute(ms)}`);

const noteWait = (ms: number): void =>
  note(`Waiting ${formatDuration(Math.ceil(ms / 1000) * 1000)}: requests with the key may still be in progress.`);

/** Each command changes a key and says so or, for scripts, shows the key as it is then. */
export function addStates(keys: Command): void {
  for (const [name, change] of Object.entries(CHANGES)) {
    const command = keys
      .command(`${name} <id>`)
      .description(change.description)
      .action((idOrName: string, options: JsonOption & YesOption) => changeState(change, idOrName, options, command));
    if (change.loss) addYes(command);
  }
}

async function changeState(
  { run, changed, unchanged = changed, loss }: StateChange,
  idOrName: string,
  options: JsonOption & YesOption,
  command: Command,
): Promise<void> {
  const isConfirmed = loss && confirmation(options, command);
  await withKeys(async (context) => {
    // The key that was asked about, whichever has its name by the time of the answer.
    const asked = isConfirmed && valueFor(idOrName, await findKey(context.keys, idOrName));
    if (asked && !(await isConfirmed(loss(asked)))) return;
    const { key, hasChanged } = valueFor(idOrName, await run(context, asked?.id ?? idOrName));
    if (options.json) printJson(jsonOfKey(key, context.clock.nowMs()));
    else print(`Key ${key.id} ${(hasChanged ? changed : unchanged)(key)}`);
  });
}
